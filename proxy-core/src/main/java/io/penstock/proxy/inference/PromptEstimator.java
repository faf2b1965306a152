package io.penstock.proxy.inference;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufInputStream;
import java.io.IOException;
import java.io.InputStream;

/**
 * Estimates the tokens of prompts without a tokenizer, four bytes of text for one (spec/routing section 4.7, {@code token-producer} in mode
 * {@code estimate}). Any thread.
 */
public final class PromptEstimator {

    /** Deeper than any tool's schema. */
    private static final int MAX_DEPTH = 500;
    /** Characters of a field's name. */
    static final int MAX_NAME = 1 << 10;
    /**
     * Characters of one text that is counted: a million tokens. The parser holds a text while it is counted, and an event loop waits for
     * it; one that is skipped, such as a picture, may be of any length.
     */
    static final int MAX_TEXT = 4 << 20;

    private final JsonFactory json = new JsonFactoryBuilder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(MAX_DEPTH)
                    .maxStringLength(MAX_TEXT)
                    .maxNameLength(MAX_NAME)
                    .build())
            // The parser's table of names outlives a body and costs the square of what is put into it: clients choose the names.
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            // Servers in Python take them.
            .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
            .build();

    /**
     * Reads a whole body once, field by field; the body is not copied as a whole. One with more values, longer texts or names, or deeper
     * lists than a prompt has is not read to its end: all of its bytes count as text.
     *
     * @param body stays the caller's, as does what it holds
     * @throws IOException when it is no JSON object
     */
    public PromptEstimate estimate(PromptShape shape, ByteBuf body) throws IOException {
        InputStream bytes = new ByteBufInputStream(body.duplicate());
        try (JsonParser parser = new BoundedParser(json.createParser(bytes))) {
            return new PromptReader(shape, parser).read();
        } catch (StreamConstraintsException tooMuch) {
            return PromptEstimate.ofBytes(body.readableBytes());
        }
    }
}
