/** What tests of every module share: a manual clock, a held executor, a gate, endpoints, leases and recorders. */
@NullMarked
package io.penstock.flow.testkit;

import org.jspecify.annotations.NullMarked;
