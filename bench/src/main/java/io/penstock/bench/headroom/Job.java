package io.penstock.bench.headroom;

/**
 * A cell and where it runs. Immutable.
 *
 * @param cell what is measured
 * @param stage what it is measured on
 * @param picture the file name of its picture, empty for none
 */
record Job(Cell cell, Stage stage, String picture) {

    static Job of(Cell cell) {
        return new Job(cell, Stage.PROCESS, "");
    }

    Job on(Stage other) {
        return new Job(cell, other, picture);
    }

    Job drawn(String file) {
        return new Job(cell, stage, file);
    }
}
