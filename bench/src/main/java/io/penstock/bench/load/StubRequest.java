package io.penstock.bench.load;

/**
 * What a request asks of the backend stub, read from its path: {@code /stream?events=N&every=M} for N server-sent events, one each M
 * milliseconds (0: as fast as the socket takes them); {@code /metrics} for a page of engine metrics; anything else for the fixed
 * completion, {@code ?delay=M} for one after M milliseconds. Immutable.
 *
 * @param kind which answer
 * @param events server-sent events, at least 1
 * @param everyMillis between two events; 0 for flat out
 * @param delayMillis before a completion
 */
record StubRequest(Kind kind, int events, int everyMillis, int delayMillis) {

    enum Kind { COMPLETION, STREAM, METRICS }

    private static final StubRequest COMPLETION = new StubRequest(Kind.COMPLETION, 0, 0, 0);
    private static final StubRequest METRICS = new StubRequest(Kind.METRICS, 0, 0, 0);

    static StubRequest of(CharSequence path) {
        String text = path.toString();
        int query = text.indexOf('?');
        if (text.startsWith("/stream")) {
            return new StubRequest(Kind.STREAM, Math.max(1, value(text, query, "events=", 1)), value(text, query, "every=", 0), 0);
        }
        if (text.startsWith("/metrics")) {
            return METRICS;
        }
        int delay = value(text, query, "delay=", 0);
        return delay == 0 ? COMPLETION : new StubRequest(Kind.COMPLETION, 0, 0, delay);
    }

    private static int value(String path, int query, String name, int absent) {
        if (query < 0) {
            return absent;
        }
        int at = path.indexOf(name, query);
        if (at < 0 || path.charAt(at - 1) != '?' && path.charAt(at - 1) != '&') {
            return absent;
        }
        int value = 0;
        for (int i = at + name.length(); i < path.length() && Character.isDigit(path.charAt(i)) && value < 100_000_000; i++) {
            value = 10 * value + path.charAt(i) - '0';
        }
        return value;
    }
}
