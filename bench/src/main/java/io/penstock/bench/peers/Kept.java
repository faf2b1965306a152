package io.penstock.bench.peers;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files that a run leaves behind. No state; any thread. */
final class Kept {

    private static final String BEGIN = "<!-- wire: begin, written by bench/run --keep -->";
    private static final String END = "<!-- wire: end -->";

    private Kept() {
    }

    static void write(Path file, String text) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        Files.writeString(file, text);
    }

    static Results read(Path file) throws IOException {
        try {
            return ResultsJson.read(Files.readString(file));
        } catch (JsonProcessingException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
    }

    /** The page with what stands between its two marks replaced. */
    static String page(String page, String report) {
        int begin = page.indexOf(BEGIN);
        int end = page.indexOf(END);
        if (begin < 0 || end < begin) {
            throw new IllegalArgumentException("page: no place for figures (expected: " + BEGIN + " and " + END + ")");
        }
        return page.substring(0, begin + BEGIN.length()) + "\n\n" + report.strip() + "\n\n" + page.substring(end);
    }
}
