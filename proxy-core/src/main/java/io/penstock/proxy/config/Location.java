package io.penstock.proxy.config;

/**
 * A place in a source. Immutable.
 *
 * @param source rank of the source among all that are read, for sorting
 * @param file the source's name
 * @param line from 1
 * @param column from 1, in code points
 */
record Location(int source, String file, int line, int column) {

    @Override
    public String toString() {
        return file + ':' + line + ':' + column;
    }
}
