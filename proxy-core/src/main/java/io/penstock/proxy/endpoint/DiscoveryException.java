package io.penstock.proxy.endpoint;

import java.util.List;

/** A list of endpoints that cannot be used, with all that is wrong with it, each as {@code file:line:column: message}. */
public final class DiscoveryException extends Exception {

    private static final long serialVersionUID = 1;

    private final transient List<String> problems;

    public DiscoveryException(List<String> problems) {
        super(String.join(System.lineSeparator(), problems));
        this.problems = List.copyOf(problems);
    }

    public List<String> problems() {
        return problems;
    }
}
