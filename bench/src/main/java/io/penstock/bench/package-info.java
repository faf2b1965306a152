/** Measurements: microbenchmarks and load against peers. Nothing depends on it. */
package io.penstock.bench;
