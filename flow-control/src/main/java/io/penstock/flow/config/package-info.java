/** Validated settings of flow control; a record that exists is valid. */
@NullMarked
package io.penstock.flow.config;

import org.jspecify.annotations.NullMarked;
