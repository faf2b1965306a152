package io.penstock.proxy.config;

import io.penstock.proxy.config.ProxyConfig.HostPort;
import io.penstock.proxy.config.ProxyConfig.Listener;
import io.penstock.proxy.config.ProxyConfig.Tls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the client ports and their certificates. Pure but for problems, and for looking whether files can be read. */
final class ListenersReader {

    private final Source source;
    private final Map<String, HostPort> taken = new LinkedHashMap<>();
    private final Map<String, Listener> byName = new LinkedHashMap<>();

    ListenersReader(Source source, HostPort admin, HostPort metrics) {
        this.source = source;
        taken.put("admin", admin);
        taken.put("metrics", metrics);
    }

    List<Listener> read(Field list, List<Listener> defaults) {
        if (!list.present()) {
            return defaults;
        }
        List<Field> items = list.items();
        if (items.isEmpty()) {
            list.unexpected("at least one listener");
            return defaults;
        }
        for (Field item : items) {
            item.open(section -> listener(item, section, "listener-" + byName.size()));
        }
        return List.copyOf(byName.values());
    }

    private void listener(Field item, Section section, String fallbackName) {
        Field nameField = section.field("name");
        String name = nameField.present() ? nameField.name() : fallbackName;
        Field field = section.required("address", "host:port such as 0.0.0.0:8080");
        HostPort address = field.address();
        Field tlsField = section.field("tls");
        Tls tls = tlsField.map(this::tls);
        if (name == null || address == null) {
            return;
        }
        taken.forEach((owner, other) -> {
            if (Addresses.clash(address, other)) {
                field.error(address + " is taken by " + owner + " at " + other + " (expected: a port of its own)");
            }
        });
        taken.put("listener " + name, address);
        if (byName.putIfAbsent(name, new Listener(name, address, tls)) != null) {
            item.error("name " + Text.shown(name) + " given twice (expected: one listener a name)");
        }
    }

    private @Nullable Tls tls(Section section) {
        Path certificate = file(section.required("certificate", "a PEM file"));
        Path key = file(section.required("privateKey", "a PEM file"));
        Path clientCa = file(section.field("clientCa"));
        String minVersion = section.field("minVersion").choice("TLSv1.2", "TLSv1.2", "TLSv1.3");
        return certificate == null || key == null ? null : new Tls(certificate, key, clientCa, minVersion);
    }

    private @Nullable Path file(Field field) {
        Path path = source.resolve(field);
        if (path != null && !(Files.isRegularFile(path) && Files.isReadable(path))) {
            field.unexpected("a file that can be read");
            return null;
        }
        return path;
    }
}
