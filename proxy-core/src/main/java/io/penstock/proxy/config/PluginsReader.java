package io.penstock.proxy.config;

import io.penstock.flow.policy.Policies;
import io.penstock.proxy.config.PickerSettings.Discovery;
import io.penstock.proxy.config.PluginType.Role;
import io.penstock.proxy.config.PluginType.Support;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads the list {@code plugins}; each plugin's parameters are checked where they stand. One thread. */
final class PluginsReader {

    private final Source source;
    private final boolean flowControlEnabled;
    private final Plugins plugins = new Plugins();
    private final DetectorReferences references = new DetectorReferences(plugins);

    PluginsReader(Source source, boolean flowControlEnabled) {
        this.source = source;
        this.flowControlEnabled = flowControlEnabled;
    }

    Plugins read(Field list) {
        for (Field item : list.items()) {
            item.open(section -> plugin(item, section));
        }
        plugins.inject(list.at());
        references.check();
        return plugins;
    }

    private void plugin(Field item, Section section) {
        String typeName = section.required("type", "a plugin type").name();
        String name = section.field("name").name();
        Field parameters = section.field("parameters");
        if (name == null) {
            name = typeName;
        }
        if (typeName == null || name == null) {
            return;
        }
        PluginType type = PluginType.of(typeName);
        if (type == null) {
            section.field("type").error(Text.shown(typeName) + ": unknown plugin type " + guess(typeName));
            plugins.refuse(name, item.at());
            return;
        }
        if (!isUsable(section.field("type"), type)) {
            plugins.refuse(name, item.at());
            return;
        }
        PluginSpec spec = new PluginSpec(name, typeName, ParameterValues.read(parameters));
        plugins.declare(item, new Plugins.Declared(spec, type, item.at(), typed(item, parameters, type, spec)));
    }

    private static String guess(String typeName) {
        String near = Text.nearest(typeName, PluginType.names());
        return near == null ? "(expected: a type that docs/configuration.md lists)" : "(did you mean " + near + "?)";
    }

    /** Whether to keep it; a type that is ignored is kept, so that references to it hold. */
    private boolean isUsable(Field at, PluginType type) {
        boolean built = type.support() == Support.BUILT;
        boolean harmless = type.support() == Support.IGNORED || type.role().isFlowControl() && !flowControlEnabled;
        if (!built && !harmless) {
            at.error(type.name() + ": not supported yet");
            return false;
        }
        if (type.experimental() && !at.reading().options().allowExperimental()) {
            // Kept all the same, so that what is wrong in its parameters is said in the same run.
            at.error(type.name() + ": is experimental (expected: --allow-experimental-plugins)");
        } else if (!built) {
            at.warning(type.name() + ": not supported yet, ignored");
        }
        return true;
    }

    private @Nullable Object typed(Field item, Field parameters, PluginType type, PluginSpec spec) {
        if (type.role() == Role.DETECTOR) {
            DetectorParameters.check(item, parameters, spec);
            references.add(spec, parameters);
            return null;
        }
        if (type.role() == Role.ADMITTER) {
            AdmitterParameters.check(item, parameters, spec);
            return null;
        }
        if (Policies.isPolicy(type.name())) {
            checkPolicy(item, parameters, spec);
            return null;
        }
        return switch (type.name()) {
            case AgentIdentity.TYPE -> orDefaults(item, parameters, AgentIdentity::check);
            case PluginType.FILE_DISCOVERY -> orDefaults(item, parameters, this::discovery);
            case PluginType.METRICS_SOURCE -> orDefaults(item, parameters, new MetricsSourceReader(source)::read);
            case PluginType.METRICS_EXTRACTOR -> orDefaults(item, parameters, ExtractorReader::read);
            case PluginType.LOAD_PRODUCER -> orDefaults(item, parameters, LoadReader::producer);
            case PluginType.TOKEN_PRODUCER, PluginType.TOKENIZER -> orDefaults(item, parameters, LoadReader::checkTokens);
            default -> null;
        };
    }

    private static void checkPolicy(Field item, Field parameters, PluginSpec spec) {
        PluginProblems problems = new PluginProblems(item, parameters, Policies.parameters(spec.type()));
        problems.check(() -> Policies.check(spec.type(), spec.parameters()));
        problems.warnings(Policies.notices(spec.type(), spec.parameters()));
    }

    /** Reads the parameters, or an empty map where there are none, so that defaults and missing keys come from one place. */
    private static <T> @Nullable T orDefaults(Field item, Field parameters, Function<Section, T> body) {
        if (parameters.present()) {
            return parameters.map(body);
        }
        YamlValue.Mapping none = new YamlValue.Mapping(item.at(), Map.of(), 1);
        return new Field(item.reading(), parameters.path(), item.at(), none).map(body);
    }

    private @Nullable Discovery discovery(Section section) {
        Path path = source.resolve(section.required("path", "the endpoints file"));
        boolean watch = section.field("watchFile").flag(false);
        return path == null ? null : new Discovery(path, watch);
    }
}
