package io.penstock.proxy.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Cuts text into tokens (a word and the white space after it) and makes up answers. Any thread. */
final class SimTokens {

    /** What a chat template adds around one message, as seen in the recordings: nine prompt tokens for four words. */
    static final int PER_MESSAGE = 5;

    private static final int MEAN_OUTPUT = 40;
    private static final int STD_DEV_OUTPUT = 20;
    private static final int MAX_OUTPUT = 128;
    private static final String[] SENTENCES = {
        "Water finds the gate that stands open. ",
        "A full basin asks the river to wait. ",
        "Count what runs and not what might. ",
        "The mill turns as fast as its stream lets it. ",
        "Who waits in order arrives in order. ",
    };

    private SimTokens() {
    }

    /** The tokens, which joined give the text again but for white space at its start. */
    static List<String> split(String text) {
        List<String> tokens = new ArrayList<>();
        int end = text.length();
        int at = skip(text, 0, true);
        while (at < end) {
            int next = skip(text, skip(text, at, false), true);
            tokens.add(text.substring(at, next));
            at = next;
        }
        return tokens;
    }

    static int count(String text) {
        int tokens = 0;
        int at = skip(text, 0, true);
        while (at < text.length()) {
            tokens++;
            at = skip(text, skip(text, at, false), true);
        }
        return tokens;
    }

    /** That many tokens of made-up text. */
    static List<String> invent(RandomGenerator random, int length) {
        List<String> tokens = new ArrayList<>(length);
        while (tokens.size() < length) {
            List<String> sentence = split(SENTENCES[random.nextInt(SENTENCES.length)]);
            tokens.addAll(sentence.subList(0, Math.min(sentence.size(), length - tokens.size())));
        }
        return tokens;
    }

    /** A length for an answer whose client set no limit, 1 to {@value #MAX_OUTPUT}. */
    static int length(RandomGenerator random) {
        return (int) Math.max(1, Math.min(MAX_OUTPUT, Math.round(random.nextGaussian(MEAN_OUTPUT, STD_DEV_OUTPUT))));
    }

    private static int skip(String text, int from, boolean white) {
        int at = from;
        while (at < text.length() && Character.isWhitespace(text.charAt(at)) == white) {
            at++;
        }
        return at;
    }
}
