package io.penstock.proxy.config;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Kubernetes quantities: a decimal number with an SI suffix ({@code k M G T P E}, {@code m u n}), a binary one ({@code Ki Mi Gi Ti Pi Ei})
 * or an exponent. Fractions are rounded away from zero, as llm-d does; beyond a {@code long} its end is taken. Pure functions.
 */
final class Quantity {

    private static final Pattern FORM = Pattern.compile(
            "([-+]?)([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]{1,3}|[numkMGTPE]|[KMGTPE]i)?");
    private static final int LONGEST = 64;
    private static final BigDecimal MOST = BigDecimal.valueOf(Long.MAX_VALUE);
    private static final Map<String, Integer> DECIMAL = Map.of("n", -9, "u", -6, "m", -3, "k", 3, "M", 6, "G", 9, "T", 12, "P", 15, "E",
            18);
    private static final String BINARY = "KMGTPE";

    private Quantity() {
    }

    /**
     * The whole number that a quantity stands for.
     *
     * @throws NumberFormatException when the text is no quantity
     */
    static long parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (text.length() > LONGEST || !matcher.matches()) {
            throw new NumberFormatException(text);
        }
        String suffix = matcher.group(3) == null ? "" : matcher.group(3);
        BigDecimal value = scaled(new BigDecimal(matcher.group(2)), suffix).setScale(0, RoundingMode.UP).min(MOST);
        return matcher.group(1).equals("-") ? -value.longValueExact() : value.longValueExact();
    }

    private static BigDecimal scaled(BigDecimal value, String suffix) {
        if (suffix.isEmpty()) {
            return value;
        }
        if (suffix.endsWith("i")) {
            return value.multiply(new BigDecimal(1L << 10 * (BINARY.indexOf(suffix.charAt(0)) + 1)));
        }
        Integer power = DECIMAL.get(suffix);
        return value.scaleByPowerOfTen(power == null ? Integer.parseInt(suffix.substring(1)) : power);
    }
}
