package io.penstock.proxy.demo;

import com.fasterxml.jackson.core.io.JsonStringEncoder;

/** JSON text, written by hand so that the order of the fields is vLLM's. Any thread. */
final class SimJson {

    private SimJson() {
    }

    /** The text as a JSON string, with its quotes. */
    static String quote(String text) {
        StringBuilder out = new StringBuilder(text.length() + 16).append('"');
        JsonStringEncoder.getInstance().quoteAsString(text, out);
        return out.append('"').toString();
    }
}
