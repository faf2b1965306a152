package io.penstock.proxy.demo;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Which requests a simulated server fails on purpose (spec/routing section 8.4). Immutable.
 *
 * @param percent how many of a hundred, 0 to 100
 * @param types what they fail with, drawn evenly; all when empty
 */
public record SimFailures(int percent, List<Type> types) {

    /** None. */
    public static final SimFailures NONE = new SimFailures(0, List.of());

    /** What a request can fail with. */
    public enum Type {
        RATE_LIMIT(429, "Rate limit reached for model `%s`."),
        INVALID_API_KEY(401, "The API key for model `%s` is not valid."),
        CONTEXT_LENGTH(400, "The request does not fit the context length of model `%s`."),
        SERVER_ERROR(503, "Model `%s` cannot take requests now."),
        INVALID_REQUEST(400, "The request to model `%s` is not valid."),
        MODEL_NOT_FOUND(404, "The model `%s-nonexistent` does not exist.");

        private final int status;
        private final String message;

        Type(int status, String message) {
            this.status = status;
            this.message = message;
        }

        SimError error(String model) {
            return new SimError(status, String.format(Locale.ROOT, message, model));
        }

        /** The type that a flag names, such as {@code rate_limit}. */
        public static Type of(String name) {
            for (Type type : values()) {
                if (type.name().toLowerCase(Locale.ROOT).equals(name)) {
                    return type;
                }
            }
            throw new IllegalArgumentException("failure-types: " + name + " (expected: rate_limit, invalid_api_key, context_length, "
                    + "server_error, invalid_request or model_not_found)");
        }
    }

    public SimFailures {
        if (percent < 0 || percent > 100) {
            throw new IllegalArgumentException("failure-injection-rate: " + percent + " (expected: 0..100)");
        }
        types = types.isEmpty() ? List.of(Type.values()) : List.copyOf(types);
    }

    /** The types that flags name. */
    public static SimFailures named(int percent, List<String> names) {
        List<Type> types = new ArrayList<>();
        names.forEach(name -> types.add(Type.of(name)));
        return new SimFailures(percent, types);
    }

    /** The failure of the next request, or null when it is let through. */
    @Nullable
    SimError next(RandomGenerator random, String model) {
        if (percent == 0 || random.nextInt(100) >= percent) {
            return null;
        }
        return types.get(random.nextInt(types.size())).error(model);
    }
}
