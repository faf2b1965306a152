package io.penstock.proxy.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What a file was when it was looked at: its attributes, cheap to compare, and a digest of its content, which decides. Immutable.
 *
 * @param attributes size, time and key, links followed; null when absent
 * @param digest of the content; null when it cannot be read
 */
record FileState(@Nullable String attributes, @Nullable String digest) {

    static final FileState ABSENT = new FileState(null, null);
    /** Beyond this the attributes alone decide; no file of ours is that large. */
    private static final int MOST_HASHED = 32 << 20;

    static FileState of(Path file) {
        String attributes = attributes(file);
        return attributes == null ? ABSENT : new FileState(attributes, digest(file, attributes));
    }

    /** Whether the file's attributes are still these; reads no content. */
    boolean looksLike(Path file) {
        String now = attributes(file);
        return now == null ? attributes == null : now.equals(attributes);
    }

    boolean sameContent(FileState other) {
        return digest == null ? other.digest == null && (attributes == null) == (other.attributes == null) : digest.equals(other.digest);
    }

    private static @Nullable String attributes(Path file) {
        try {
            BasicFileAttributes found = Files.readAttributes(file, BasicFileAttributes.class);
            return found.size() + " " + found.lastModifiedTime() + " " + found.fileKey();
        } catch (IOException e) {
            return null;
        }
    }

    private static @Nullable String digest(Path file, String attributes) {
        try (InputStream in = Files.newInputStream(file)) {
            byte[] content = in.readNBytes(MOST_HASHED + 1);
            if (content.length > MOST_HASHED) {
                return attributes;
            }
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(content);
            Arrays.fill(content, (byte) 0); // it may have been a private key
            return HexFormat.of().formatHex(digest);
        } catch (IOException e) {
            return null;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
