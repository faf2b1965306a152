/** What every measurement on the wire uses: a fast backend stub, an open-loop client, child processes and their accounts. */
@NullMarked
package io.penstock.bench.load;

import org.jspecify.annotations.NullMarked;
