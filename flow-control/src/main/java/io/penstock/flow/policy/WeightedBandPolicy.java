package io.penstock.flow.policy;

import io.penstock.flow.BandCandidates;
import io.penstock.flow.BandSelectionPolicy;

/**
 * Shares dispatches among the bands by weight, by {@link FairShare virtual time}: of any two bands that always have work, one gets its
 * weight against the other's, whatever other bands there are. A band that is empty or closed gathers no credit for that time, and owes only
 * what it had. Equal bands go by priority. Drainer only.
 */
final class WeightedBandPolicy implements BandSelectionPolicy {

    private final WeightedBandConfig config;
    private int size;
    private int[] priorities = new int[0];
    private double[] weights = new double[0];
    /** When each band's turn is, never before {@link #now}. */
    private long[] turns = new long[0];
    /** The bands by turn as they were ranked last: nearly right the next time. */
    private int[] byTurn = new int[0];
    private long now;
    /** The earliest turn of a band that could be served at the last ranking. */
    private long earliest;

    WeightedBandPolicy(WeightedBandConfig config) {
        this.config = config;
    }

    @Override
    public String type() {
        return WeightedBandConfig.TYPE;
    }

    @Override
    public void rank(BandCandidates bands, long nowNanos, int[] order) {
        if (!isKnown(bands)) {
            adopt(bands);
        }
        for (int i = 0; i < size; i++) {
            turns[i] = FairShare.later(turns[i], now);
        }
        sort();
        int candidates = 0;
        int rest = size;
        earliest = now;
        for (int i = 0; i < size; i++) {
            int band = byTurn[i];
            if (!bands.waiting(band) || !bands.open(band)) {
                order[--rest] = band;
                continue;
            }
            if (candidates == 0) {
                earliest = turns[band];
            }
            order[candidates++] = band;
        }
    }

    @Override
    public void dispatched(int priority, long nowNanos) {
        for (int i = 0; i < size; i++) {
            if (priorities[i] == priority) {
                turns[i] += FairShare.charge(1, weights[i]);
                now = FairShare.later(now, earliest);
                return;
            }
        }
    }

    private boolean isKnown(BandCandidates bands) {
        if (bands.size() != size) {
            return false;
        }
        for (int i = 0; i < size; i++) {
            if (bands.priority(i) != priorities[i]) {
                return false;
            }
        }
        return true;
    }

    /** Other bands than before: those that stay keep their turn. */
    private void adopt(BandCandidates bands) {
        int count = bands.size();
        int[] newPriorities = new int[count];
        double[] newWeights = new double[count];
        long[] newTurns = new long[count];
        int[] newOrder = new int[count];
        for (int i = 0; i < count; i++) {
            newPriorities[i] = bands.priority(i);
            newWeights[i] = config.weight(newPriorities[i]);
            newTurns[i] = turnOf(newPriorities[i]);
            newOrder[i] = i;
        }
        size = count;
        priorities = newPriorities;
        weights = newWeights;
        turns = newTurns;
        byTurn = newOrder;
    }

    private long turnOf(int priority) {
        for (int i = 0; i < size; i++) {
            if (priorities[i] == priority) {
                return turns[i];
            }
        }
        return now;
    }

    /** Insertion: one band has moved since the last time. */
    private void sort() {
        for (int i = 1; i < size; i++) {
            int band = byTurn[i];
            int hole = i;
            while (hole > 0 && comesBefore(band, byTurn[hole - 1])) {
                byTurn[hole] = byTurn[hole - 1];
                hole--;
            }
            byTurn[hole] = band;
        }
    }

    private boolean comesBefore(int band, int other) {
        long order = turns[band] - turns[other];
        return order != 0 ? order < 0 : band < other;
    }
}
