package io.penstock.proxy.admin;

import java.io.IOException;
import java.io.OutputStream;
import org.jspecify.annotations.Nullable;

/** Writes all metrics. Called on threads of the admin and metrics ports, several at a time. */
@FunctionalInterface
public interface MetricsSource {

    /**
     * @param accept the client's {@code Accept} header, or null
     * @return the media type of what was written
     */
    String scrape(@Nullable String accept, OutputStream out) throws IOException;
}
