package io.penstock.proxy.demo;

import io.penstock.flow.config.GoDuration;
import java.time.Duration;
import picocli.CommandLine;

/** Reads a duration from a command line: as Go writes it, or a bare number of milliseconds as llm-d-inference-sim takes it. Any thread. */
final class DurationFlag implements CommandLine.ITypeConverter<Duration> {

    @Override
    public Duration convert(String value) {
        try {
            return value.matches("\\d{1,15}") ? Duration.ofMillis(Long.parseLong(value)) : Duration.ofNanos(GoDuration.parseNanos(value));
        } catch (IllegalArgumentException wrong) {
            throw new CommandLine.TypeConversionException(wrong.getMessage());
        }
    }
}
