package io.penstock.proxy.request;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/**
 * A header's value as the text that its sender meant. Headers arrive as bytes, one a character (RFC 9110 section 5.5); where they are
 * UTF-8, as documents are, a name in a header and the same name in a document are equal. Stateless, any thread.
 */
final class HeaderText {

    private static final int LAST_ASCII = 0x7F;
    private static final int LAST_BYTE = 0xFF;

    private HeaderText() {
    }

    /**
     * The first characters of a value; whole ones.
     *
     * @param most how many, 1 or more
     */
    static String of(CharSequence value, int most) {
        int end = Math.min(value.length(), most);
        for (int i = 0; i < end; i++) {
            if (value.charAt(i) > LAST_ASCII) {
                return cut(decoded(value.toString()), most);
            }
        }
        return value.subSequence(0, end).toString();
    }

    /** What is no UTF-8 stays as it is, a character a byte, so that two values are never one. */
    private static String decoded(String bytes) {
        if (bytes.chars().anyMatch(c -> c > LAST_BYTE)) {
            return bytes;
        }
        try {
            return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1))).toString();
        } catch (CharacterCodingException notUtf8) {
            return bytes;
        }
    }

    private static String cut(String text, int most) {
        if (text.length() <= most) {
            return text;
        }
        return text.substring(0, Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most);
    }
}
