package io.penstock.proxy.inference;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import java.io.Writer;
import org.jspecify.annotations.Nullable;

/**
 * Gives up when the work for one body, counted in steps, passes {@value #MOST}: an event loop waits for it, and a body may take far longer
 * to read than its bytes took to arrive. A token of JSON is one step, a skipped one too, and so are {@value #CHARACTERS} characters of
 * what is read rather than skipped: texts, names and numbers. One thread.
 */
final class BoundedParser extends JsonParserDelegate {

    static final int MOST = 1 << 19;
    static final int CHARACTERS = 8;

    private int left = MOST;

    BoundedParser(JsonParser parser) {
        super(parser);
    }

    @Override
    public @Nullable JsonToken nextToken() throws IOException {
        JsonToken token = delegate.nextToken();
        boolean read = token != null && token != JsonToken.VALUE_STRING && token.isScalarValue() || token == JsonToken.FIELD_NAME;
        spend(1 + (read ? delegate.getTextLength() / CHARACTERS : 0));
        return token;
    }

    private void spend(int steps) throws StreamConstraintsException {
        left -= steps;
        if (left < 0) {
            throw new StreamConstraintsException("body: more than " + MOST + " steps to read it");
        }
    }

    @Override
    public int getText(Writer to) throws IOException {
        int length = delegate.getText(to);
        spend(length / CHARACTERS);
        return length;
    }

    @Override
    public @Nullable String nextFieldName() throws IOException {
        return nextToken() == JsonToken.FIELD_NAME ? currentName() : null;
    }

    @Override
    public JsonParser skipChildren() throws IOException {
        JsonToken token = currentToken();
        int depth = token != null && token.isStructStart() ? 1 : 0;
        while (depth > 0) {
            token = nextToken();
            if (token == null) {
                throw new IOException("body: ends within a value");
            }
            depth += token.isStructStart() ? 1 : token.isStructEnd() ? -1 : 0;
        }
        return this;
    }
}
