package io.penstock.proxy.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Something that holds configuration documents. Immutable.
 *
 * @param name how problems name it
 * @param file the file to read, or null for {@code text}
 * @param text the documents, or null for {@code file}
 */
public record Source(String name, @Nullable Path file, @Nullable String text) {

    /** The largest source, as large as Kubernetes lets a ConfigMap be. */
    static final int MOST_BYTES = 1 << 20;

    /** A file, named as the user wrote it. */
    public static Source file(Path file) {
        return new Source(file.toString(), file, null);
    }

    /** The value of {@code --config-text}; its relative paths are relative to the working directory. */
    public static Source text(String text) {
        return new Source("<config-text>", null, text);
    }

    /** The path that a field names, relative ones as they are meant in this source; null when there is none or after saying why. */
    @Nullable Path resolve(Field field) {
        String path = field.name();
        if (path == null) {
            return null;
        }
        try {
            Path base = file == null ? Path.of("").toAbsolutePath() : file.toAbsolutePath().getParent();
            return base == null ? Path.of(path).toAbsolutePath() : base.resolve(path).normalize();
        } catch (InvalidPathException e) {
            field.unexpected("a path");
            return null;
        }
    }

    /** The text, or null after saying why there is none. */
    @Nullable String read(Reading reading, int rank) {
        Location start = new Location(rank, name, 1, 1);
        if (file == null) {
            return text;
        }
        try (InputStream in = Files.newInputStream(file)) {
            byte[] bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                reading.error(start, "too large (expected: at most " + MOST_BYTES + " bytes)");
                return null;
            }
            CharsetDecoder decoder = StandardCharsets.UTF_8.newDecoder().onMalformedInput(CodingErrorAction.REPORT);
            String read = decoder.decode(ByteBuffer.wrap(bytes)).toString();
            return read.startsWith("\ufeff") ? read.substring(1) : read;
        } catch (CharacterCodingException e) {
            reading.error(start, "not UTF-8 (expected: text in UTF-8)");
        } catch (NoSuchFileException e) {
            reading.error(start, "no such file (expected: a file to read)");
        } catch (AccessDeniedException e) {
            reading.error(start, "no permission to read it (expected: a file to read)");
        } catch (IOException e) {
            reading.error(start, "cannot be read: " + e.getMessage() + " (expected: a file to read)");
        }
        return null;
    }
}
