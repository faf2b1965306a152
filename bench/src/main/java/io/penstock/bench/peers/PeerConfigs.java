package io.penstock.bench.peers;

import io.penstock.bench.load.Protocol;
import java.nio.file.Path;
import java.util.List;

/**
 * The peers' configurations: each as its manual would have it for this job. One worker, connections kept alive on both sides, no access
 * log, the same two backends, balanced by the fewest requests under way, h2c in. No state; any thread.
 */
final class PeerConfigs {

    private PeerConfigs() {
    }

    static String haproxy(Protocol out, int port, List<Integer> backends) {
        String proto = out == Protocol.H2C ? " proto h2" : "";
        StringBuilder text = new StringBuilder("""
                global
                  nbthread 1
                  maxconn 8000
                defaults
                  mode http
                  timeout connect 10s
                  timeout client 300s
                  timeout server 300s
                  timeout http-keep-alive 300s
                  http-reuse always
                frontend bench
                  bind 127.0.0.1:%d proto h2
                  default_backend stub
                backend stub
                  balance leastconn
                """.formatted(port));
        for (int i = 0; i < backends.size(); i++) {
            text.append("  server s").append(i).append(" 127.0.0.1:").append(backends.get(i)).append(proto).append('\n');
        }
        return text.toString();
    }

    /** {@code directory} takes its pid file and spooled bodies. */
    static String nginx(Path directory, int port, List<Integer> backends) {
        StringBuilder servers = new StringBuilder();
        backends.forEach(backend -> servers.append("    server 127.0.0.1:").append(backend).append(";\n"));
        return """
                worker_processes 1;
                daemon off;
                error_log stderr crit;
                pid %1$s/nginx.pid;
                worker_rlimit_nofile 20000;
                events { worker_connections 8192; }
                http {
                  access_log off;
                  client_body_temp_path %1$s/body;
                  proxy_temp_path %1$s/proxy;
                  fastcgi_temp_path %1$s/fastcgi;
                  uwsgi_temp_path %1$s/uwsgi;
                  scgi_temp_path %1$s/scgi;
                  keepalive_requests 1000000000;
                  keepalive_timeout 1h;
                  client_body_buffer_size 16k;
                  http2_max_concurrent_streams 128;
                  proxy_http_version 1.1;
                  proxy_set_header Connection "";
                  upstream stub {
                    least_conn;
                %2$s    keepalive 2048;
                    keepalive_requests 1000000000;
                    keepalive_timeout 1h;
                  }
                  server {
                    listen 127.0.0.1:%3$d http2;
                    location / { proxy_pass http://stub; }
                    location /stream { proxy_pass http://stub; proxy_buffering off; proxy_read_timeout 300s; }
                  }
                }
                """.formatted(directory, servers, port);
    }

    static String envoy(Protocol out, int port, List<Integer> backends) {
        StringBuilder endpoints = new StringBuilder();
        backends.forEach(backend -> endpoints.append("          - endpoint: {address: {socket_address: {address: 127.0.0.1, port_value: ")
                .append(backend).append("}}}\n"));
        String http2 = out == Protocol.HTTP1 ? "" : """
                    typed_extension_protocol_options:
                      envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
                        "@type": type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
                        explicit_http_config: {http2_protocol_options: {}}
                """;
        return """
                static_resources:
                  listeners:
                  - address: {socket_address: {address: 127.0.0.1, port_value: %1$d}}
                    filter_chains:
                    - filters:
                      - name: envoy.filters.network.http_connection_manager
                        typed_config:
                          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
                          stat_prefix: bench
                          codec_type: HTTP2
                          stream_idle_timeout: 300s
                          route_config:
                            virtual_hosts:
                            - {name: all, domains: ["*"], routes: [{match: {prefix: "/"}, route: {cluster: stub, timeout: 0s}}]}
                          http_filters:
                          - name: envoy.filters.http.router
                            typed_config: {"@type": type.googleapis.com/envoy.extensions.filters.http.router.v3.Router}
                  clusters:
                  - name: stub
                    connect_timeout: 10s
                    lb_policy: LEAST_REQUEST
                    circuit_breakers: {thresholds: [{max_connections: 40000, max_pending_requests: 40000, max_requests: 40000}]}
                %2$s    load_assignment:
                      cluster_name: stub
                      endpoints:
                      - lb_endpoints:
                %3$s""".formatted(port, http2.indent(0), endpoints);
    }

    /** A file of the user's own, for the pair: {@code {port}}, {@code {picker}}, {@code {backend0}}, {@code {backend1}} are filled in. */
    static String filled(String text, int port, int picker, List<Integer> backends) {
        String filled = text.replace("{port}", Integer.toString(port)).replace("{picker}", Integer.toString(picker));
        for (int i = 0; i < backends.size(); i++) {
            filled = filled.replace("{backend" + i + "}", Integer.toString(backends.get(i)));
        }
        return filled;
    }
}
