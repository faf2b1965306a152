package io.penstock.bench.headroom;

import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The columns of the tables: one number for each run of a cell, shown as median and range over the rounds. */
enum Figure {
    REFUSED("refused %", 1, Result::refusedPercent),
    SLOTS("slots busy %", 1, Result::slotPercent),
    BATCH("batch/s", 0, Result::batchPerSecond),
    GOODPUT("all/s", 0, Result::goodput),
    WAIT_P50("batch wait p50 ms", 0, Result::waitMedian),
    WAIT_P99("batch wait p99 ms", 0, Result::waitP99),
    INTERACTIVE_P99("interactive p99 ms", 0, Result::interactiveP99);

    private final String title;
    private final int decimals;
    private final ToDoubleFunction<Result> value;

    Figure(String title, int decimals, ToDoubleFunction<Result> value) {
        this.title = title;
        this.decimals = decimals;
        this.value = value;
    }

    String title() {
        return title;
    }

    /** The middle of the runs; of an even number the mean of the two in the middle. */
    double median(List<Result> runs) {
        return Spread.of(runs.stream().mapToDouble(value).toArray()).median();
    }

    /** {@code median (least to most)}, or the median alone when all runs agree as far as shown. */
    String text(List<Result> runs) {
        Spread spread = Spread.of(runs.stream().mapToDouble(value).toArray());
        String least = number(spread.least());
        String most = number(spread.most());
        String median = number(spread.median());
        return least.equals(most) ? median : median + " (" + least + "-" + most + ")";
    }

    private String number(double plain) {
        return String.format(Locale.ROOT, "%." + decimals + "f", plain);
    }
}
