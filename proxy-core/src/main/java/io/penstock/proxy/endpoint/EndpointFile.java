package io.penstock.proxy.endpoint;

import io.netty.util.NetUtil;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Compose;
import org.snakeyaml.engine.v2.common.ScalarStyle;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;
import org.snakeyaml.engine.v2.nodes.MappingNode;
import org.snakeyaml.engine.v2.nodes.Node;
import org.snakeyaml.engine.v2.nodes.NodeTuple;
import org.snakeyaml.engine.v2.nodes.ScalarNode;
import org.snakeyaml.engine.v2.nodes.SequenceNode;
import org.snakeyaml.engine.v2.nodes.Tag;

/**
 * Reads llm-d's endpoint file (spec/routing section 2.2), in YAML or JSON, and finds everything that is wrong with it. Unknown fields are
 * ignored, as llm-d does. Unlike there, an identity that is there twice is a problem rather than a matter of order, and an empty pool must
 * be written {@code endpoints: []}, since an empty document is what a file looks like while it is being rewritten. One thread, one use.
 */
final class EndpointFile {

    /** The largest file, in bytes. */
    static final int MAX_BYTES = 1 << 20;

    private static final int MAX_PORT = 65_535;
    /** What YAML 1.1, and so llm-d's loader, takes for a boolean where 1.2 sees a string. */
    private static final Set<String> OLD_BOOLEANS = Set.of("y", "yes", "n", "no", "on", "off");

    private final String source;
    private final List<String> problems = new ArrayList<>();

    private EndpointFile(String source) {
        this.source = source;
    }

    /**
     * @param source the file's name, for messages
     * @throws DiscoveryException if anything is wrong
     */
    static List<EndpointSpec> parse(String source, String text) throws DiscoveryException {
        EndpointFile file = new EndpointFile(source);
        List<EndpointSpec> specs = file.document(text);
        if (!file.problems.isEmpty()) {
            throw new DiscoveryException(file.problems);
        }
        return specs;
    }

    private List<EndpointSpec> document(String text) {
        Optional<Node> root;
        try {
            LoadSettings settings = LoadSettings.builder().setLabel(source).setCodePointLimit(MAX_BYTES).build();
            root = new Compose(settings).composeString(text);
        } catch (MarkedYamlEngineException e) {
            problem(e.getProblemMark().orElse(null), e.getProblem());
            return List.of();
        } catch (YamlEngineException e) {
            problem((Mark) null, String.valueOf(e.getMessage()));
            return List.of();
        } catch (StackOverflowError e) {
            problem((Mark) null, "nested too deep (expected: a list of endpoints)");
            return List.of();
        }
        if (root.isEmpty() || isNull(root.get())) {
            problem((Mark) null, "empty document (expected: endpoints: [] for a pool without endpoints)");
            return List.of();
        }
        Map<String, Node> fields = fields(root.get(), "document");
        Node list = fields.get("endpoints");
        if (list instanceof SequenceNode entries) {
            return entries(entries.getValue());
        }
        if (problems.isEmpty()) {
            problem(list == null ? root.get() : list, "endpoints: " + (list == null ? "missing" : shown(list)) + " (expected: a list)");
        }
        return List.of();
    }

    private List<EndpointSpec> entries(List<Node> nodes) {
        List<EndpointSpec> specs = new ArrayList<>(nodes.size());
        Map<String, Node> seen = new HashMap<>();
        for (Node node : nodes) {
            EndpointSpec spec = entry(node);
            if (spec == null) {
                continue;
            }
            Node first = seen.putIfAbsent(spec.id(), node);
            if (first != null) {
                problem(node, "endpoints: " + spec.id() + " twice (expected: one entry a name; the other is at " + at(first) + ')');
            }
            specs.add(spec);
        }
        return specs;
    }

    private @Nullable EndpointSpec entry(Node node) {
        int before = problems.size();
        Map<String, Node> fields = fields(node, "endpoint");
        if (problems.size() != before) {
            return null;
        }
        String name = required(node, fields, "name");
        String namespace = string(fields.get("namespace"), "namespace");
        String address = required(node, fields, "address");
        String port = required(node, fields, "port");
        Map<String, String> labels = labels(fields.get("labels"));
        if (address != null && !isLiteral(address)) {
            problem(place(node, fields, "address"), "address: " + quoted(address) + " (expected: a literal IPv4 or IPv6 address)");
        }
        int number = port == null ? 0 : port(port);
        if (port != null && number == 0) {
            problem(place(node, fields, "port"), "port: " + quoted(port) + " (expected: \"1\"..\"65535\")");
        }
        if (problems.size() != before || name == null || address == null) {
            return null;
        }
        String space = namespace == null || namespace.isEmpty() ? EndpointSpec.DEFAULT_NAMESPACE : namespace;
        return new EndpointSpec(space, name, address, number, labels);
    }

    private Map<String, String> labels(@Nullable Node node) {
        if (node == null || isNull(node)) {
            return Map.of();
        }
        Map<String, String> labels = new LinkedHashMap<>();
        fields(node, "labels").forEach((key, value) -> {
            String text = string(value, "labels." + key);
            if (text != null) {
                labels.put(key, text);
            }
        });
        return labels;
    }

    private @Nullable String required(Node entry, Map<String, Node> fields, String field) {
        int before = problems.size();
        String value = string(fields.get(field), field);
        if (problems.size() == before && (value == null || value.isEmpty())) {
            problem(place(entry, fields, field), field + ": " + (value == null ? "missing" : "\"\"") + " (expected: a non-empty string)");
            return null;
        }
        return value;
    }

    private static Node place(Node entry, Map<String, Node> fields, String field) {
        return fields.getOrDefault(field, entry);
    }

    /** The string, or null where there is none; anything but a string is a problem, numbers above all. */
    private @Nullable String string(@Nullable Node node, String field) {
        if (node == null || isNull(node)) {
            return null;
        }
        if (node instanceof ScalarNode scalar && Tag.STR.equals(scalar.getTag())) {
            boolean plain = scalar.getScalarStyle() == ScalarStyle.PLAIN;
            if (!plain || !OLD_BOOLEANS.contains(scalar.getValue().toLowerCase(Locale.ROOT))) {
                return scalar.getValue();
            }
        }
        problem(node, field + ": " + shown(node) + " (expected: a string" + (node instanceof ScalarNode ? "; quote it)" : ")"));
        return null;
    }

    private Map<String, Node> fields(Node node, String what) {
        Map<String, Node> fields = new LinkedHashMap<>();
        if (!(node instanceof MappingNode mapping)) {
            problem(node, what + ": " + shown(node) + " (expected: a mapping)");
            return fields;
        }
        for (NodeTuple tuple : mapping.getValue()) {
            Node key = tuple.getKeyNode();
            if (!(key instanceof ScalarNode scalar)) {
                problem(key, what + ": " + shown(key) + " as a key (expected: a string)");
            } else if (fields.put(scalar.getValue(), tuple.getValueNode()) != null) {
                problem(key, scalar.getValue() + ": twice (expected: once)");
            }
        }
        return fields;
    }

    private static boolean isLiteral(String address) {
        return NetUtil.isValidIpV4Address(address) || address.indexOf('%') < 0 && address.indexOf('[') < 0
                && NetUtil.isValidIpV6Address(address);
    }

    /** The port, or 0 when it is none. */
    private static int port(String text) {
        int port = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9' || port > MAX_PORT) {
                return 0;
            }
            port = port * 10 + (c - '0');
        }
        return port > MAX_PORT ? 0 : port;
    }

    private static boolean isNull(Node node) {
        return Tag.NULL.equals(node.getTag());
    }

    private static String shown(Node node) {
        if (node instanceof ScalarNode scalar) {
            return scalar.getScalarStyle() == ScalarStyle.PLAIN ? cut(scalar.getValue()) : quoted(scalar.getValue());
        }
        return node instanceof SequenceNode ? "a list" : "a mapping";
    }

    private static String quoted(String value) {
        return '"' + cut(value) + '"';
    }

    private static String cut(String value) {
        return value.length() <= 60 ? value : value.substring(0, 60) + "...";
    }

    private void problem(Node node, String message) {
        problem(node.getStartMark().orElse(null), message);
    }

    private void problem(@Nullable Mark mark, String message) {
        String place = mark == null ? source + ":1:1" : source + ':' + (mark.getLine() + 1) + ':' + (mark.getColumn() + 1);
        problems.add(place + ": " + message);
    }

    private static String at(Node node) {
        return node.getStartMark().map(mark -> (mark.getLine() + 1) + ":" + (mark.getColumn() + 1)).orElse("an unknown place");
    }
}
