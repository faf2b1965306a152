package io.penstock.bench.peers;

import io.penstock.bench.load.Protocol;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One program in one configuration: a row of the tables. Immutable.
 *
 * @param name as in {@code --only} and in the tables, such as {@code penstock-17-off}
 * @param kind which program
 * @param out what it speaks to the backends; what it is sent is h2c in every case
 * @param jdk the runtime, of Penstock only
 * @param flow flow control, of Penstock only
 * @param variant of Penstock only
 */
record Target(String name, Kind kind, Protocol out, @Nullable Jdk jdk, Flow flow, Variant variant) {

    boolean jvm() {
        return kind == Kind.PENSTOCK;
    }

    /** Whether it is measured in every scenario, or only under the two closed loops that keep its core busy. */
    boolean everywhere() {
        return out == Protocol.HTTP1 && flow == Flow.ON;
    }

    /** The same under another name. */
    Target named(String other) {
        return new Target(other, kind, out, jdk, flow, variant);
    }

    /** A peer, which has neither a runtime of ours nor flow control. */
    static Target peer(Kind kind, Protocol out) {
        String name = kind == Kind.PAIR ? "envoy-picker" : kind.name().toLowerCase(Locale.ROOT);
        return new Target(out == Protocol.H2C && kind != Kind.DIRECT ? name + "-h2c" : name, kind, out, null, Flow.ON, Variant.PLAIN);
    }

    static Target penstock(Jdk jdk, Protocol out, Flow flow) {
        return penstock(jdk, out, flow, Variant.PLAIN);
    }

    static Target penstock(Jdk jdk, Protocol out, Flow flow, Variant variant) {
        String mode = switch (flow) {
            case ON -> "";
            case OFF -> "-off";
            case GATED -> "-gated";
        };
        String name = "penstock-" + jdk.feature() + mode + (out == Protocol.H2C ? "-h2c" : "") + variant.suffix();
        return new Target(name, Kind.PENSTOCK, out, jdk, flow, variant);
    }

    /**
     * All targets that could be measured here, installed or not. The first runtime has a row for each mode; the others have one in the
     * short set and all with {@code all}, with each variant.
     */
    static List<Target> all(List<Jdk> jdks, boolean pair, boolean all) {
        List<Target> targets = new ArrayList<>();
        targets.add(peer(Kind.DIRECT, Protocol.HTTP1));
        targets.add(peer(Kind.HAPROXY, Protocol.HTTP1));
        targets.add(peer(Kind.NGINX, Protocol.HTTP1));
        targets.add(peer(Kind.ENVOY, Protocol.HTTP1));
        if (pair) {
            targets.add(peer(Kind.PAIR, Protocol.HTTP1));
        }
        targets.add(peer(Kind.HAPROXY, Protocol.H2C));
        targets.add(peer(Kind.ENVOY, Protocol.H2C));
        for (int i = 0; i < jdks.size(); i++) {
            targets.add(penstock(jdks.get(i), Protocol.HTTP1, Flow.ON));
            if (i == 0 || all) {
                targets.add(penstock(jdks.get(i), Protocol.HTTP1, Flow.OFF));
                targets.add(penstock(jdks.get(i), Protocol.HTTP1, Flow.GATED));
                targets.add(penstock(jdks.get(i), Protocol.H2C, Flow.ON));
            }
            if (all) {
                variants(jdks.get(i)).forEach(targets::add);
            }
        }
        return targets;
    }

    private static Stream<Target> variants(Jdk jdk) {
        return Arrays.stream(Variant.values()).filter(each -> each != Variant.PLAIN && each.exists(jdk))
                .map(each -> penstock(jdk, Protocol.HTTP1, Flow.ON, each));
    }
}
