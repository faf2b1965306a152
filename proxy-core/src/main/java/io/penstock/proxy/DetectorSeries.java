package io.penstock.proxy;

import io.penstock.detect.DetectorEvents;
import io.penstock.flow.FlowEvents;
import io.penstock.flow.Stage;
import io.penstock.proxy.metrics.PoolMeters;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What detectors see, as metrics and as a line in the log. A series is there from the first report on, so never for a detector that has
 * nothing of its kind to report. Written by the drainer, read by scrapes.
 *
 * <p>A detector that serves several stages is asked once a stage. Its stale endpoints are the sum of its latest answers, since the last one
 * alone would hide a stage whose metrics have stopped behind one that is well. An endpoint in both stages counts in each.
 */
final class DetectorSeries implements DetectorEvents {

    /** Between two lines about one detector. */
    static final Duration LOG_INTERVAL = Duration.ofSeconds(30);
    /** Before its first line: at the start nothing can have been scraped yet. */
    static final Duration GRACE = Duration.ofSeconds(1);

    private static final Logger LOG = LoggerFactory.getLogger(DetectorSeries.class);
    private static final Stage[] STAGES = Stage.values();

    private final PoolMeters meters;
    private final FlowEvents flow;
    private final Map<String, Answers> stale = new ConcurrentHashMap<>();
    private final Map<String, Answers> saturation = new ConcurrentHashMap<>();

    /** @param flow where failures are counted */
    DetectorSeries(PoolMeters meters, FlowEvents flow) {
        this.meters = meters;
        this.flow = flow;
    }

    @Override
    public void stale(String detector, @Nullable Stage stage, int endpoints, long nowNanos) {
        Answers counts = stale.get(detector);
        if (counts == null) {
            Answers first = new Answers(nowNanos + GRACE.toNanos());
            stale.put(detector, first);
            meters.staleEndpoints(detector, first::sum);
            counts = first;
        }
        counts.of(stage).value = endpoints;
        if (endpoints > 0 && nowNanos - counts.logAt >= 0) {
            counts.logAt = nowNanos + LOG_INTERVAL.toNanos();
            LOG.warn("{}: endpoints without fresh metrics, which count as full: {}", detector, endpoints);
        }
    }

    @Override
    public void measured(String detector, @Nullable Stage stage, double value) {
        Answers values = saturation.get(detector);
        if (values == null) {
            values = new Answers(0);
            saturation.put(detector, values);
        }
        Answer answer = values.of(stage);
        answer.value = value;
        if (!answer.shown) {
            answer.shown = true;
            meters.detectorSaturation(detector, stage == null ? "" : stage.label(), () -> answer.value);
        }
    }

    @Override
    public void left(String detector, @Nullable Stage stage) {
        forget(stale.get(detector), stage);
        forget(saturation.get(detector), stage);
    }

    private static void forget(@Nullable Answers answers, @Nullable Stage stage) {
        if (answers != null) {
            answers.of(stage).value = Double.NaN;
        }
    }

    @Override
    public void failed(String detector, Throwable cause) {
        flow.failed(detector, cause);
    }

    /** A detector's latest answers: one a stage, and one about a pool that is not split. */
    private static final class Answers {

        private final Answer whole = new Answer();
        private final Answer[] byStage = new Answer[STAGES.length];
        private long logAt;

        Answers(long logAt) {
            this.logAt = logAt;
            for (Stage stage : STAGES) {
                byStage[stage.ordinal()] = new Answer();
            }
        }

        Answer of(@Nullable Stage stage) {
            return stage == null ? whole : byStage[stage.ordinal()];
        }

        double sum() {
            double sum = whole.orZero();
            for (Answer answer : byStage) {
                sum += answer.orZero();
            }
            return sum;
        }
    }

    private static final class Answer {

        /** NaN while nobody asks. */
        private volatile double value = Double.NaN;
        private boolean shown;

        double orZero() {
            double now = value;
            return Double.isNaN(now) ? 0 : now;
        }
    }
}
