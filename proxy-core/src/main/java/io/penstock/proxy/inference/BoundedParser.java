package io.penstock.proxy.inference;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.util.JsonParserDelegate;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * Gives up after {@value #MOST} tokens of JSON, skipped ones too: a body of many tiny values takes far longer to read than its bytes took
 * to arrive, and an event loop waits for it. One thread.
 */
final class BoundedParser extends JsonParserDelegate {

    static final int MOST = 1 << 20;

    private int left = MOST;

    BoundedParser(JsonParser parser) {
        super(parser);
    }

    @Override
    public @Nullable JsonToken nextToken() throws IOException {
        if (--left < 0) {
            throw new StreamConstraintsException("body: more than " + MOST + " JSON tokens");
        }
        return delegate.nextToken();
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
