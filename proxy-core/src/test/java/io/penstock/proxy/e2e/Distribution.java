package io.penstock.proxy.e2e;

import io.penstock.proxy.ProxyMain;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;

/** The {@code penstock} script with a jar beside it, laid out as in an image, and the Java that it is to use. One thread. */
final class Distribution {

    /** Does what the JVM would do with the flags that the script gives it, in no time: writes down its call, and writes archives. */
    private static final String FAKE_JAVA = """
            #!/bin/sh
            here=$(dirname "$0")
            echo "$@" >> "$here/calls"
            for word in "$@"; do
                case $word in
                    -XX:DumpLoadedClassList=*) list=${word#*=} ;;
                    -XX:SharedArchiveFile=*) archive=${word#*=} ;;
                    -XX:AOTCacheOutput=*) archive=${word#*=} dumps=yes ;;
                    -Xshare:dump) dumps=yes ;;
                esac
            done
            [ ! -e "$here/hang" ] || { echo $$ > "$here/hanging"; exec cat "$here/hang"; }
            if [ -e "$here/broken" ]; then
                echo "a fault of the JVM"
                exit 1
            fi
            [ -z "${list:-}" ] || echo classes > "$list"
            [ -z "${dumps:-}" ] || echo archive > "$archive"
            """;

    private final Path root;
    private final Path javaHome;

    private Distribution(Path root, Path javaHome) {
        this.root = root;
        this.javaHome = javaHome;
    }

    /** With a Java that only notes what it is called with. */
    static Distribution fake(Path directory, int javaVersion) throws IOException {
        Path home = Files.createDirectories(directory.resolve("java"));
        Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + javaVersion + ".0.1\"\n");
        Path java = Files.createDirectories(home.resolve("bin")).resolve("java");
        Files.writeString(java, FAKE_JAVA);
        if (!java.toFile().setExecutable(true)) {
            throw new IOException(java + ": cannot be made executable");
        }
        Distribution made = new Distribution(Files.createDirectories(directory.resolve("penstock dir")), home);
        made.script();
        Files.writeString(made.jar(), "one");
        return made;
    }

    /** With this JVM and the classes under test in a real jar, which is what an archive can be made of. */
    static Distribution real(Path directory) throws IOException {
        Distribution made = new Distribution(directory, Path.of(System.getProperty("java.home")));
        made.script();
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<Path> directories = new ArrayList<>();
        StringBuilder jars = new StringBuilder();
        for (String entry : classPath.split(":")) {
            Path path = Path.of(entry);
            if (!Files.isDirectory(path)) {
                jars.append(path.toUri()).append(' ');
            } else if (path.endsWith("classes")) {
                directories.add(path);
            }
        }
        Manifest manifest = new Manifest();
        Attributes main = manifest.getMainAttributes();
        main.put(Attributes.Name.MANIFEST_VERSION, "1.0");
        main.put(Attributes.Name.MAIN_CLASS, ProxyMain.class.getName());
        main.putValue("Enable-Native-Access", "ALL-UNNAMED");
        main.put(Attributes.Name.CLASS_PATH, jars.toString().trim());
        try (JarOutputStream jar = new JarOutputStream(Files.newOutputStream(made.jar()), manifest)) {
            Set<String> seen = new TreeSet<>();
            for (Path each : directories) {
                copy(each, jar, seen);
            }
        }
        return made;
    }

    private static void copy(Path directory, JarOutputStream jar, Set<String> seen) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                String name = directory.relativize(file).toString();
                if (!name.equals("META-INF/MANIFEST.MF") && seen.add(name)) {
                    jar.putNextEntry(new ZipEntry(name));
                    Files.copy(file, jar);
                }
            }
        }
    }

    private void script() throws IOException {
        Path script = root.resolve("penstock");
        Files.copy(Path.of(System.getProperty("penstock.root"), "penstock"), script);
        if (!script.toFile().setExecutable(true)) {
            throw new IOException(script + ": cannot be made executable");
        }
    }

    Path jar() {
        return root.resolve("penstock.jar");
    }

    Path root() {
        return root;
    }

    /** A file beside the fake Java. */
    Path fakeFile(String name) {
        return javaHome.resolve("bin").resolve(name);
    }

    /** What the fake Java was called with, a line a call. */
    List<String> calls() throws IOException {
        return Files.exists(fakeFile("calls")) ? Files.readAllLines(fakeFile("calls")) : List.of();
    }

    /** The script, to be started. Of the environment, only the path is this process's. */
    ProcessBuilder command(String... arguments) {
        List<String> words = new ArrayList<>(List.of(root.resolve("penstock").toString()));
        words.addAll(List.of(arguments));
        ProcessBuilder command = new ProcessBuilder(words);
        String path = System.getenv("PATH");
        command.environment().clear();
        command.environment().put("PATH", path);
        command.environment().put("JAVA_HOME", javaHome.toString());
        return command;
    }

    /** Runs a script that ends by itself and gives back what it printed on both streams; its exit code must be 0. */
    String run(ProcessBuilder command) {
        try {
            Process process = command.redirectErrorStream(true).start();
            String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            int code = process.waitFor();
            if (code != 0) {
                throw new AssertionError(command.command() + " ended with " + code + ": " + printed);
            }
            return printed;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Names of files in a directory, sorted. */
    static List<String> names(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
