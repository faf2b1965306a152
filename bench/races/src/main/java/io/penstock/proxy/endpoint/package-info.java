/** Races of the counts of endpoints: which outcomes two threads may see, and which never. In their package to reach them. */
@NullMarked
package io.penstock.proxy.endpoint;

import org.jspecify.annotations.NullMarked;
