/** Tests of the configuration records. */
@NullMarked
package io.penstock.flow.config;

import org.jspecify.annotations.NullMarked;
