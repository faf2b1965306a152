package io.penstock.bench.peers;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * How Penstock is started: as users do, by its script, or in tests from their class path. Immutable.
 *
 * @param script the program, or with an empty class path the script at the root
 * @param classPath for a start without a script; empty otherwise
 */
record PenstockLaunch(Path script, String classPath) {

    static PenstockLaunch byScript(Path root) {
        return new PenstockLaunch(root.resolve("penstock"), "");
    }

    boolean usesScript() {
        return classPath.isEmpty();
    }

    List<String> command(Jdk jdk, String... arguments) {
        List<String> command = new ArrayList<>();
        if (classPath.isEmpty()) {
            command.add(script.toString());
        } else {
            command.addAll(List.of(jdk.java().toString(), "-Xmx256m", "-cp", classPath, "io.penstock.proxy.ProxyMain"));
        }
        command.addAll(List.of(arguments));
        return command;
    }

    Map<String, String> environment(Jdk jdk, Variant variant) {
        String home = jdk.home().toString();
        return variant.javaOptions().isEmpty() ? Map.of("JAVA_HOME", home)
                : Map.of("JAVA_HOME", home, "PENSTOCK_JAVA_OPTS", variant.javaOptions());
    }
}
