package io.penstock.proxy.endpoint;

import io.penstock.flow.AdmissionRequest;
import io.penstock.flow.EndpointView;
import io.penstock.flow.FlowKey;
import io.penstock.flow.SaturationDetector;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Small values that the tests of this package share. */
final class Fleet {

    static final Runnable NO_SIGNAL = () -> {
    };

    private Fleet() {
    }

    static EndpointSpec spec(String name, int port) {
        return EndpointSpec.of(name, "127.0.0.1", port, Map.of());
    }

    static EndpointSpec spec(String name, int port, String role) {
        return EndpointSpec.of(name, "127.0.0.1", port, Map.of(EndpointSpec.ROLE_LABEL, role));
    }

    /** A request that has already tried these. */
    static AdmissionRequest request(EndpointView... tried) {
        return request(0, -1, Set.of(tried));
    }

    /** A request with so many tokens of a prompt, and so many at most of an answer. */
    static AdmissionRequest sized(long promptTokens, long maxOutputTokens) {
        return request(promptTokens, maxOutputTokens, Set.of());
    }

    private static AdmissionRequest request(long prompt, long output, Set<EndpointView> excluded) {
        return new AdmissionRequest() {
            @Override
            public long promptTokens() {
                return prompt;
            }

            @Override
            public long maxOutputTokens() {
                return output;
            }

            @Override
            public FlowKey flowKey() {
                return new FlowKey(FlowKey.DEFAULT_FAIRNESS_ID, 0);
            }

            @Override
            public long byteSize() {
                return 0;
            }

            @Override
            public long receivedNanos() {
                return 0;
            }

            @Override
            public long ttlNanos() {
                return 0;
            }

            @Override
            public boolean excludes(EndpointView endpoint) {
                return excluded.contains(endpoint);
            }
        };
    }

    /** Counts requests against a limit per endpoint. */
    record CountingDetector(int limit) implements SaturationDetector {

        @Override
        public String name() {
            return "counting";
        }

        @Override
        public double saturation(List<EndpointView> endpoints, long nowNanos) {
            return endpoints.stream().mapToInt(EndpointView::inFlightRequests).sum() / (double) (limit * endpoints.size());
        }

        @Override
        public double load(EndpointView endpoint, long nowNanos) {
            return endpoint.inFlightRequests() / (double) limit;
        }

        @Override
        public boolean fits(EndpointView endpoint) {
            return endpoint.inFlightRequests() < limit;
        }
    }
}
