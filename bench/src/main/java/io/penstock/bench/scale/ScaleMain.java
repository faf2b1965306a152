package io.penstock.bench.scale;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.util.Arrays;
import java.util.List;

/**
 * Measures growth curves and writes a table and a JSON file for each. Started by bench/scale.sh, which says what the arguments are. Runs on
 * the main thread; ends with 1 when a curve could not be measured, after all others.
 */
public final class ScaleMain {

    private ScaleMain() {
    }

    /** {@code ROOT CORES REPEATS WARM_MILLIS POINT_MILLIS [CURVE ...]}; without curves, all. */
    public static void main(String[] arguments) throws IOException {
        Path root = Path.of(arguments[0]).toAbsolutePath();
        Path results = Files.createDirectories(root.resolve("bench/target/scale"));
        Machine machine = new Machine(root.resolve("penstock"), results.resolve("scratch"),
                Path.of(System.getProperty("java.home"), "bin", "jcmd"), Integer.parseInt(arguments[1]), descriptors(),
                Duration.ofMillis(Long.parseLong(arguments[3])), Duration.ofMillis(Long.parseLong(arguments[4])),
                Integer.parseInt(arguments[2]));
        List<Curve> curves = arguments.length == 5 ? List.of(Curve.values())
                : Arrays.stream(arguments).skip(5).map(ScaleMain::curve).toList();
        boolean all = true;
        for (Curve curve : curves) {
            all &= measure(curve, machine, results);
        }
        System.exit(all ? 0 : 1);
    }

    private static boolean measure(Curve curve, Machine machine, Path results) throws IOException {
        long begun = System.nanoTime();
        try {
            List<Point> points = curve.measure(machine);
            String where = "Java " + Runtime.version().feature() + ", " + machine.cores() + " cores, " + LocalDate.now() + ", "
                    + machine.repeats() + " times " + machine.point().toMillis() + " ms";
            String table = CurveText.markdown(curve, points, where);
            Files.writeString(results.resolve(curve.id() + ".md"), table);
            Files.writeString(results.resolve(curve.id() + ".json"), CurveText.json(curve, points, where));
            System.out.println(table);
            System.err.printf("%s: %d s%n", curve.id(), (System.nanoTime() - begun) / 1_000_000_000);
            return true;
        } catch (RuntimeException e) {
            System.err.println(curve.id() + ": NOT MEASURED: " + e.getMessage());
            for (Throwable cause = e.getCause(); cause != null; cause = cause.getCause()) {
                System.err.println("    since " + cause);
            }
            System.err.println("    again, alone: bench/scale.sh --only " + curve.id());
            return false;
        }
    }

    private static Curve curve(String id) {
        return Arrays.stream(Curve.values()).filter(curve -> curve.id().equals(id)).findFirst().orElseThrow(() ->
                new IllegalArgumentException("curve: " + id + " (expected: one of "
                        + Arrays.stream(Curve.values()).map(Curve::id).toList() + ")"));
    }

    /** The soft limit of this process, which the proxy inherits. */
    private static long descriptors() throws IOException {
        String line = Files.readAllLines(Path.of("/proc/self/limits")).stream().filter(each -> each.startsWith("Max open files"))
                .findFirst().orElseThrow(() -> new IllegalStateException("/proc/self/limits: no line of open files (expected: Linux)"));
        return Long.parseLong(line.substring("Max open files".length()).trim().split(" +")[0]);
    }
}
