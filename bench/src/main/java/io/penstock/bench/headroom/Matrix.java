package io.penstock.bench.headroom;

import java.util.ArrayList;
import java.util.List;

/** All that the experiment measures: the matrix, the row at 0.5 s, HTTP/1.1, and one ablation after the other. Immutable. */
final class Matrix {

    static final String MAIN = "matrix";
    static final String SLOW_SERVICE = "0.5 s";
    static final String HTTP1 = "HTTP/1.1";
    static final String ABLATIONS = "ablations";
    static final double[] LOADS = {0.2, 0.9};
    static final int[] BANDS = {16, 64};
    static final int[] DISPATCHERS = {1, 4, 16};
    /** The cell that pictures and most ablations are about. */
    private static final int R = 4;
    private static final int BAND = 16;
    private static final double LOAD = 0.2;
    private static final int STEP_MILLIS = 25;

    private final Cell.Times times;
    private final Cell.Times busier;
    private final Cell.Times longer;
    private final List<Job> jobs = new ArrayList<>();

    private Matrix(Cell.Times times, Cell.Times busier, Cell.Times longer) {
        this.times = times;
        this.busier = busier;
        this.longer = longer;
    }

    /**
     * The list.
     *
     * @param times of each cell, but
     * @param busier of those whose interactive load leaves little for the batch, and
     * @param longer of the cells whose requests take ten times as long
     */
    static List<Job> jobs(Cell.Times times, Cell.Times busier, Cell.Times longer) {
        Matrix matrix = new Matrix(times, busier, longer);
        matrix.main();
        matrix.slowService();
        matrix.http1();
        matrix.ablations();
        return List.copyOf(matrix.jobs);
    }

    private void add(Job job) {
        jobs.add(job);
    }

    private void main() {
        for (double load : LOADS) {
            for (int band : BANDS) {
                for (int dispatchers : DISPATCHERS) {
                    for (Law law : Law.values()) {
                        Job job = Job.of(Cell.of(MAIN, law, dispatchers, band, load, load > 0.5 ? busier : times));
                        add(dispatchers == R && band == BAND && load == LOAD ? job.drawn(law.toString()) : job);
                    }
                }
            }
        }
    }

    private void slowService() {
        for (Law law : List.of(Law.BLIND, Law.AIMD, Law.CREDIT)) {
            add(Job.of(Cell.of(SLOW_SERVICE, law, R, BAND, LOAD, longer).serving(500)));
        }
    }

    private void http1() {
        for (Law law : List.of(Law.AIMD, Law.CREDIT)) {
            add(Job.of(Cell.of(HTTP1, law, R, BAND, LOAD, times).over(Protocol.HTTP1)));
        }
    }

    private Cell ablation(Law law, int dispatchers, int band) {
        return Cell.of(ABLATIONS, law, dispatchers, band, LOAD, times);
    }

    private void ablations() {
        add(Job.of(ablation(Law.CREDIT, R, BAND).named("credit, header not read").reading(null)));
        for (int dispatchers : new int[] {1, R}) {
            add(Job.of(ablation(Law.CREDIT, dispatchers, BAND).named("credit, value of the response")).on(Stage.SAMPLED));
            add(Job.of(ablation(Law.CREDIT, dispatchers, BAND).named("credit, value of the admission").reading(Stages.NOTED))
                    .on(Stage.SAMPLED).drawn(dispatchers == R ? "credit-at-admission" : ""));
        }
        add(Job.of(ablation(Law.CREDIT, 1, BAND).named("credit, value of the admission, retry after 1 ms").reading(Stages.NOTED)
                .retrying(1)).on(Stage.SAMPLED));
        add(Job.of(ablation(Law.CREDIT, R, BAND).named("credit, fallback, value of the band that admitted")).on(Stage.FALLBACK));
        add(Job.of(ablation(Law.CREDIT, R, BAND).named("credit, fallback, value of the band asked for").reading(Stages.NOTED))
                .on(Stage.FALLBACK));
        add(Job.of(ablation(Law.CREDIT, R, 5000).named("credit, band of 5000, half in reserve").taking(busier)));
        add(Job.of(ablation(Law.CREDIT, R, 5000).named("credit, band of 5000, all but 8 in reserve").tuned(1.0 / R, 4992)));
        gains();
        add(Job.of(ablation(Law.CREDIT, R, BAND).named("credit, spoofing backend")).on(Stage.SPOOFED));
        add(Job.of(ablation(Law.CREDIT, R, BAND).named("credit, spoofing backend believed").reading(Stages.NOTED)).on(Stage.SPOOFED));
        for (Law law : List.of(Law.AIMD, Law.CREDIT)) {
            add(Job.of(ablation(law, R, BAND).named(law + ", pool slows to half").slowingTo(0.5)).drawn(law + "-slowdown"));
        }
    }

    /** Random service times spread the answers; in step, many dispatchers read the same value at the same moment. */
    private void gains() {
        for (int gain : new int[] {1, 4}) {
            add(Job.of(ablation(Law.CREDIT, 16, 64).named("credit, gain " + gain).tuned(gain, 32)));
        }
        add(Job.of(ablation(Law.CREDIT, 16, 64).named("credit, gain 1/16, answers in step").inStep(STEP_MILLIS)));
        for (int gain : new int[] {1, 4}) {
            add(Job.of(ablation(Law.CREDIT, 16, 64).named("credit, gain " + gain + ", answers in step").tuned(gain, 32)
                    .inStep(STEP_MILLIS)));
        }
    }
}
