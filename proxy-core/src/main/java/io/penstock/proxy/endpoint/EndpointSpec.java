package io.penstock.proxy.endpoint;

import io.penstock.flow.Stage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One model server as discovery names it.
 *
 * @param namespace the namespace, {@code default} where none is given
 * @param name unique inside the namespace
 * @param host literal address or host name
 * @param port 1..65535
 * @param labels as on a Kubernetes pod
 */
public record EndpointSpec(String namespace, String name, String host, int port, Map<String, String> labels) {

    /** The namespace of an endpoint that names none. */
    public static final String DEFAULT_NAMESPACE = "default";
    /** The label that splits the pool into stages. */
    public static final String ROLE_LABEL = Stage.ROLE_LABEL;

    public EndpointSpec {
        labels = Map.copyOf(labels);
    }

    /** An endpoint of the namespace {@value #DEFAULT_NAMESPACE}. */
    public static EndpointSpec of(String name, String host, int port, Map<String, String> labels) {
        return new EndpointSpec(DEFAULT_NAMESPACE, name, host, port, labels);
    }

    /** {@code namespace/name}, the endpoint's identity. */
    public String id() {
        return namespace + '/' + name;
    }

    /** Value of the role label, or null. */
    public @Nullable String role() {
        return labels.get(ROLE_LABEL);
    }

    /** {@code host:port}, an IPv6 host in brackets. */
    public String authority() {
        return (host.indexOf(':') >= 0 ? '[' + host + ']' : host) + ':' + port;
    }
}
