package io.penstock.proxy.endpoint;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.UnknownHostException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Host names of configured endpoints. */
class StaticEndpointsTest {

    private final EndpointPool pool = new EndpointPool(() -> 0);
    private final Map<String, List<String>> names = new HashMap<>();

    private StaticEndpoints endpoints(EndpointSpec... specs) {
        return new StaticEndpoints(List.of(specs), pool, host -> {
            List<String> addresses = names.get(host);
            if (addresses == null) {
                throw new UnknownHostException(host);
            }
            return addresses;
        });
    }

    @Test
    void aNameBecomesItsAddress() {
        names.put("vllm.test", List.of("127.0.0.7"));
        try (StaticEndpoints endpoints = endpoints(EndpointSpec.of("a", "vllm.test", 8000, Map.of()))) {
            endpoints.refresh();
            assertThat(pool.members()).extracting(one -> one.spec().authority()).containsExactly("127.0.0.7:8000");
        }
    }

    @Test
    void aNameThatMovesMovesItsEndpoint() {
        names.put("vllm.test", List.of("127.0.0.7"));
        try (StaticEndpoints endpoints = endpoints(EndpointSpec.of("a", "vllm.test", 8000, Map.of()))) {
            endpoints.refresh();
            names.put("vllm.test", List.of("127.0.0.8"));
            endpoints.refresh();
            assertThat(pool.members()).extracting(one -> one.spec().host()).containsExactly("127.0.0.8");
        }
    }

    @Test
    void aNameWithSeveralAddressesStaysAtTheOneItHas() {
        names.put("vllm.test", List.of("127.0.0.7", "127.0.0.8"));
        try (StaticEndpoints endpoints = endpoints(EndpointSpec.of("a", "vllm.test", 8000, Map.of()))) {
            endpoints.refresh();
            Endpoint before = pool.find("default/a");
            names.put("vllm.test", List.of("127.0.0.8", "127.0.0.7"));
            endpoints.refresh();
            assertThat(pool.find("default/a")).isSameAs(before);
        }
    }

    @Test
    void aNameThatIsLostKeepsItsLastAddress() {
        names.put("vllm.test", List.of("127.0.0.7"));
        try (StaticEndpoints endpoints = endpoints(EndpointSpec.of("a", "vllm.test", 8000, Map.of()))) {
            endpoints.refresh();
            Endpoint before = pool.find("default/a");
            names.clear();
            endpoints.refresh();
            assertThat(pool.find("default/a")).isSameAs(before);
        }
    }

    @Test
    void aNameThatNobodyKnowsStaysInThePoolUntilItIsKnown() {
        try (StaticEndpoints endpoints = endpoints(EndpointSpec.of("a", "vllm.test", 8000, Map.of()))) {
            endpoints.refresh();
            assertThat(pool.synced()).isTrue();
            assertThat(pool.find("default/a").address().isUnresolved()).isTrue();
            names.put("vllm.test", List.of("127.0.0.7"));
            endpoints.refresh();
            assertThat(pool.find("default/a").address().isUnresolved()).isFalse();
        }
    }
}
