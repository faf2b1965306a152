package io.penstock.proxy.upstream;

/**
 * Counts the resets that a backend may not have read. One frees its place here at once, there once it is read: who opens and resets ever
 * more streams meanwhile makes the backend take the proxy for an attacker (CVE-2023-44487), and end the connection's other requests. The
 * answer to a PING shows what was read. Event loop only.
 */
final class UnreadResets {

    /** The PING's bytes; never the time that the other PINGs carry. */
    static final long PING = Long.MIN_VALUE;
    /** So few at a time are users who press Stop, and not worth a PING each. */
    static final int FREE = 20;

    private int sent;
    /** Those that the PING on its way asks for; 0 where there is none. */
    private int asked;

    /** How many requests the backend may still be at, beside those that run. */
    int places() {
        int unread = sent + asked;
        return unread < FREE ? 0 : unread;
    }

    /** One more was sent; true when a PING is to follow. */
    boolean add() {
        sent++;
        return ask();
    }

    /** The answer to {@link #PING}; true when another PING is to follow. */
    boolean read() {
        asked = 0;
        return ask();
    }

    private boolean ask() {
        if (asked > 0 || sent < FREE) {
            return false;
        }
        asked = sent;
        sent = 0;
        return true;
    }
}
