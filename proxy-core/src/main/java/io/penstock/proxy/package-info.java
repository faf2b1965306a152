/** The process: command line and composition root. */
@NullMarked
package io.penstock.proxy;

import org.jspecify.annotations.NullMarked;
