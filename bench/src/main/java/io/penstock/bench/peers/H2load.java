package io.penstock.bench.peers;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * nghttp2's h2load: its command line, and what it printed. Immutable; any thread.
 *
 * @param perSecond requests/s
 * @param requests that it was to send
 * @param succeeded with status 2xx or 3xx
 * @param ok with status 2xx
 * @param failed not succeeded, for whatever reason
 * @param meanMicros of one request, closed loop
 */
record H2load(double perSecond, long requests, long succeeded, long ok, long failed, double meanMicros) {

    private static final Pattern FINISHED = Pattern.compile("finished in [^,]+, ([0-9.]+) req/s");
    private static final Pattern REQUESTS = Pattern.compile(
            "requests: (\\d+) total, \\d+ started, \\d+ done, (\\d+) succeeded, (\\d+) failed, (\\d+) errored, (\\d+) timeout");
    private static final Pattern STATUS = Pattern.compile("status codes: (\\d+) 2xx");
    private static final Pattern TIME = Pattern.compile("time for request: +\\S+ +\\S+ +([0-9.]+)(us|ms|s)");

    static List<String> command(Path h2load, int port, int connections, int streams, long requests, Path body) {
        return List.of(h2load.toString(), "-n", Long.toString(requests), "-c", Integer.toString(connections), "-m",
                Integer.toString(streams), "-d", body.toString(), "-H", "content-type: application/json",
                "http://127.0.0.1:" + port + "/v1/completions");
    }

    /** @throws IllegalArgumentException where the text is not a whole report */
    static H2load parse(String text) {
        Matcher finished = FINISHED.matcher(text);
        Matcher requests = REQUESTS.matcher(text);
        Matcher status = STATUS.matcher(text);
        Matcher time = TIME.matcher(text);
        if (!finished.find() || !requests.find() || !status.find() || !time.find()) {
            throw new IllegalArgumentException("h2load: no report (expected: its four lines): " + text.strip());
        }
        long failed = Long.parseLong(requests.group(3)) + Long.parseLong(requests.group(4)) + Long.parseLong(requests.group(5));
        return new H2load(Double.parseDouble(finished.group(1)), Long.parseLong(requests.group(1)), Long.parseLong(requests.group(2)),
                Long.parseLong(status.group(1)), failed, micros(time.group(1), time.group(2)));
    }

    private static double micros(String number, String unit) {
        double value = Double.parseDouble(number);
        return switch (unit) {
            case "us" -> value;
            case "ms" -> value * 1e3;
            default -> value * 1e6;
        };
    }

    boolean clean() {
        return ok == requests && failed == 0;
    }
}
