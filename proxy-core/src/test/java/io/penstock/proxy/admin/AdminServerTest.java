package io.penstock.proxy.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.penstock.flow.BandView;
import io.penstock.flow.CapacitySnapshot;
import io.penstock.flow.SaturationView;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class AdminServerTest {

    private final FixedView view = new FixedView();
    private final HttpClient client = HttpClient.newHttpClient();
    private AdminServer server;

    @BeforeEach
    void start() throws IOException {
        server = AdminServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), view);
    }

    @AfterEach
    void stop() {
        server.close();
    }

    @Test
    void readyFollowsTheViewAndLiveStays() throws Exception {
        assertThat(call("GET", "/ready").statusCode()).isEqualTo(200);
        view.ready = false;
        assertThat(call("GET", "/ready").statusCode()).isEqualTo(503);
        assertThat(call("GET", "/live").statusCode()).isEqualTo(200);
    }

    @Test
    void aProcessThatIsNotLiveSaysSo() throws Exception {
        view.live = false;
        assertThat(call("GET", "/live").statusCode()).isEqualTo(503);
    }

    @Test
    void aProbeByHeadHasNoBodyButItsLength() throws Exception {
        HttpResponse<String> response = call("HEAD", "/ready");
        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
        assertThat(response.headers().firstValue("content-length")).contains("5");
    }

    @Test
    void bandsHaveTheShapeOfTheContract() throws Exception {
        view.saturation = new SaturationView(0.5, null, 0.75);
        view.bands = List.of(
                new BandView(10, 100, 81, 1_000, 900, 7, 3, 1_500_000_000L, 1, List.of(new BandView.FlowView("a\"b\n", 81))),
                new BandView(-1, CapacitySnapshot.UNBOUNDED, 5, CapacitySnapshot.UNBOUNDED, 6, 0, 0, 0, 0, List.of()));
        HttpResponse<String> response = call("GET", "/bands");
        assertThat(response.headers().firstValue("content-type")).contains("application/json");
        assertThat(response.body()).isEqualTo("{\"saturation\":{\"prefill\":0.5,\"decode\":null,\"effective\":0.75},\"bands\":["
                + "{\"priority\":10,\"maxRequests\":100,\"requests\":81,\"headroomRequests\":19,\"maxBytes\":1000,\"bytes\":900,"
                + "\"dispatchedTotal\":7,\"rejectedTotal\":3,\"oldestWaitMs\":1500,\"flowCount\":1,"
                + "\"flows\":[{\"fairnessId\":\"a\\\"b\\n\",\"requests\":81}]},"
                + "{\"priority\":-1,\"maxRequests\":null,\"requests\":5,\"headroomRequests\":null,\"maxBytes\":null,\"bytes\":6,"
                + "\"dispatchedTotal\":0,\"rejectedTotal\":0,\"oldestWaitMs\":0,\"flowCount\":0,\"flows\":[]}]}");
    }

    @Test
    void aBandOverItsLimitHasNoHeadroomAndASaturationWithoutANumberIsNull() throws Exception {
        view.saturation = new SaturationView(Double.NaN, Double.POSITIVE_INFINITY, 2.5);
        view.bands = List.of(new BandView(0, 10, 12, 10, 12, 0, 0, 0, 0, List.of()));
        assertThat(call("GET", "/bands").body())
                .contains("{\"prefill\":null,\"decode\":null,\"effective\":2.5}")
                .contains("\"headroomRequests\":0");
    }

    @Test
    void endpointsShowTheirLastScrapeOrNull() throws Exception {
        view.endpoints = List.of(
                new EndpointRow("default/a", "127.0.0.1:8000", Map.of("llm-d.ai/role", "decode"), "decode", 3, 40, 12L, 1, 2, 0.25,
                        "healthy"),
                new EndpointRow("default/b", "[::1]:8001", Map.of(), null, 0, 0, null, null, null, null, "ejected"));
        assertThat(call("GET", "/endpoints").body()).isEqualTo("{\"endpoints\":[{\"name\":\"default/a\",\"address\":\"127.0.0.1:8000\","
                + "\"labels\":{\"llm-d.ai/role\":\"decode\"},\"role\":\"decode\",\"inFlightRequests\":3,\"inFlightTokens\":40,"
                + "\"lastScrape\":{\"ageMs\":12,\"waiting\":1,\"running\":2,\"kvCacheUsage\":0.25},\"health\":\"healthy\"},"
                + "{\"name\":\"default/b\",\"address\":\"[::1]:8001\",\"labels\":{},\"role\":null,\"inFlightRequests\":0,"
                + "\"inFlightTokens\":0,\"lastScrape\":null,\"health\":\"ejected\"}]}");
    }

    @Test
    void metricsHaveTwoPathsAndHearTheAcceptHeader() throws Exception {
        for (String path : List.of("/metrics", "/stats/prometheus", "/metrics?x=1")) {
            HttpResponse<String> response = client.send(request("GET", path).header("accept", "a/b").build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(response.body()).isEqualTo("accept a/b\n");
            assertThat(response.headers().firstValue("content-type")).contains("text/plain; version=0.0.4");
        }
    }

    @Test
    void drainIsAPostOnly() throws Exception {
        HttpResponse<String> get = call("GET", "/drain");
        assertThat(get.statusCode()).isEqualTo(405);
        assertThat(get.headers().firstValue("allow")).contains("POST");
        assertThat(view.drains).hasValue(0);
        assertThat(call("POST", "/drain").statusCode()).isEqualTo(200);
        assertThat(view.drains).hasValue(1);
        assertThat(call("GET", "/ready").statusCode()).isEqualTo(503);
    }

    @Test
    void aWebPageCannotDrainWhateverItCallsThisHost() throws Exception {
        String own = "http://" + Addresses.text(server.address());
        for (String origin : List.of("http://evil.example", "null", "http://localhost:1 http://x", own)) {
            HttpResponse<String> response = client.send(request("POST", "/drain").header("origin", origin).build(),
                    HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).as(origin).isEqualTo(403);
        }
        assertThat(view.drains).hasValue(0);
    }

    @Test
    void anUnknownPathIs404AndAWrongMethod405() throws Exception {
        for (String path : List.of("/", "/readyz", "/ready/", "/config", "/metrics/x")) {
            assertThat(call("GET", path).statusCode()).as(path).isEqualTo(404);
        }
        HttpResponse<String> post = call("POST", "/bands");
        assertThat(post.statusCode()).isEqualTo(405);
        assertThat(post.headers().firstValue("allow")).contains("GET, HEAD");
    }

    @Test
    void aDefectInTheViewIsA500AndTheNextCallWorks() throws Exception {
        view.endpoints = null;
        assertThat(call("GET", "/endpoints").statusCode()).isEqualTo(500);
        view.endpoints = List.of();
        assertThat(call("GET", "/endpoints").statusCode()).isEqualTo(200);
    }

    private HttpResponse<String> call(String method, String path) throws Exception {
        return client.send(request(method, path).build(), HttpResponse.BodyHandlers.ofString());
    }

    private HttpRequest.Builder request(String method, String path) {
        return HttpRequest.newBuilder(URI.create("http://" + Addresses.text(server.address()) + path))
                .version(HttpClient.Version.HTTP_1_1)
                .method(method, HttpRequest.BodyPublishers.noBody());
    }
}
