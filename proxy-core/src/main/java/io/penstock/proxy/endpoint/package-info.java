/** The model servers: pool membership, in-flight counts and leases, discovery, scraping, health. */
@NullMarked
package io.penstock.proxy.endpoint;

import org.jspecify.annotations.NullMarked;
