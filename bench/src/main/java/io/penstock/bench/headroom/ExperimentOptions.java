package io.penstock.bench.headroom;

import java.nio.file.Path;
import java.util.regex.Pattern;

/**
 * What the command line asks for. Immutable.
 *
 * @param root the checkout
 * @param out where tables and pictures go
 * @param rounds how often each cell is measured
 * @param times of one cell
 * @param busier of a cell whose batch requests wait for a long time, since interactive ones take most of the pool
 * @param longer of a cell with slow requests
 * @param warmUpMillis once for each stage
 * @param only cells whose key it is found in
 */
record ExperimentOptions(Path root, Path out, int rounds, Cell.Times times, Cell.Times busier, Cell.Times longer, int warmUpMillis,
        Pattern only) {

    /** Reads them; throws {@link IllegalArgumentException} with a message for the user. */
    static ExperimentOptions parse(String... args) {
        Path root = Path.of(System.getProperty("penstock.root", "."));
        boolean quick = false;
        int rounds = 0;
        Path out = null;
        Pattern only = Pattern.compile("");
        for (int i = 0; i < args.length; i++) {
            switch (args[i]) {
                case "--quick" -> quick = true;
                case "--rounds" -> rounds = rounds(value(args, ++i));
                case "--out" -> out = Path.of(value(args, ++i));
                case "--only" -> only = Pattern.compile(value(args, ++i));
                default -> throw new IllegalArgumentException(args[i]
                        + ": no such option (expected: --quick, --rounds N, --only REGEX, --out DIR)");
            }
        }
        if (out == null) {
            out = root.resolve(quick ? "bench/target/headroom" : "docs/headroom");
        }
        if (quick) {
            return new ExperimentOptions(root, out, rounds == 0 ? 1 : rounds, new Cell.Times(300, 500), new Cell.Times(400, 700),
                    new Cell.Times(1500, 1500), 1000, only);
        }
        return new ExperimentOptions(root, out, rounds == 0 ? 5 : rounds, new Cell.Times(700, 2000), new Cell.Times(900, 2600),
                new Cell.Times(3000, 6000), 5000, only);
    }

    private static String value(String[] args, int index) {
        if (index >= args.length) {
            throw new IllegalArgumentException(args[index - 1] + ": nothing follows (expected: a value)");
        }
        return args[index];
    }

    private static int rounds(String text) {
        if (!text.matches("[1-9][0-9]?")) {
            throw new IllegalArgumentException("--rounds: " + text + " (expected: 1 to 99)");
        }
        return Integer.parseInt(text);
    }

    boolean wants(String key) {
        return only.matcher(key).find();
    }
}
