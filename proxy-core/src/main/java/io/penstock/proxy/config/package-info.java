/** Configuration: the documents a user writes, read strictly and with line and column kept to the end, and the records they become. */
@NullMarked
package io.penstock.proxy.config;

import org.jspecify.annotations.NullMarked;
