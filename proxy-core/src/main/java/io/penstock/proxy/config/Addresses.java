package io.penstock.proxy.config;

import io.penstock.proxy.config.ProxyConfig.HostPort;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reads {@code host:port}, an IPv6 host in brackets. Never asks a name server. Pure functions. */
final class Addresses {

    private static final String LABEL = "[A-Za-z0-9_]([A-Za-z0-9_-]*[A-Za-z0-9_])?";
    private static final Pattern NAME = Pattern.compile(LABEL + "(\\." + LABEL + ")*\\.?");
    private static final Pattern DIGITS_AND_DOTS = Pattern.compile("[0-9.]+");
    private static final Pattern IPV4 = Pattern.compile("((25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])(\\.(?!$)|$)){4}");
    private static final Pattern IPV6 = Pattern.compile("[0-9a-fA-F:.]+(%[A-Za-z0-9_.-]+)?");
    private static final Pattern PORT = Pattern.compile("0|[1-9][0-9]{0,4}");
    private static final int LONGEST_NAME = 253;
    private static final int MOST_PORT = 65_535;

    private Addresses() {
    }

    /** The address, or null when the text is none. */
    static @Nullable HostPort parse(String text) {
        int colon = text.lastIndexOf(':');
        if (colon < 1) {
            return null;
        }
        String host = text.substring(0, colon);
        String port = text.substring(colon + 1);
        if (!PORT.matcher(port).matches() || Integer.parseInt(port) > MOST_PORT) {
            return null;
        }
        if (host.charAt(0) == '[' && host.endsWith("]")) {
            String inner = host.substring(1, host.length() - 1);
            return isIpv6(inner) ? new HostPort(inner, Integer.parseInt(port)) : null;
        }
        return isHost(host) ? new HostPort(host, Integer.parseInt(port)) : null;
    }

    /** A wildcard and any address share a port only once. */
    static boolean clash(HostPort one, HostPort other) {
        return one.port() != 0 && one.port() == other.port()
                && (one.host().equals(other.host()) || isWildcard(one.host()) || isWildcard(other.host()));
    }

    private static boolean isWildcard(String host) {
        return host.equals("0.0.0.0") || host.equals("::");
    }

    private static boolean isHost(String host) {
        if (DIGITS_AND_DOTS.matcher(host).matches()) {
            return IPV4.matcher(host).matches();
        }
        return host.length() <= LONGEST_NAME && NAME.matcher(host).matches();
    }

    private static boolean isIpv6(String text) {
        if (text.indexOf(':') < 0 || !IPV6.matcher(text).matches()) {
            return false;
        }
        try {
            int zone = text.indexOf('%');
            // with a colon in it this is a literal, so no name is looked up
            return InetAddress.getByName(zone < 0 ? text : text.substring(0, zone)) != null;
        } catch (UnknownHostException e) {
            return false;
        }
    }
}
