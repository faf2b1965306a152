package io.penstock.bench.peers;

import io.penstock.bench.load.Protocol;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One program in one configuration: a row of the tables. Immutable.
 *
 * @param name as in {@code --only} and in the tables, such as {@code penstock-17-off}
 * @param kind which program
 * @param out what it speaks to the backends; what it is sent is h2c in every case
 * @param jdk the runtime, of Penstock only
 * @param flow flow control, of Penstock only
 */
record Target(String name, Kind kind, Protocol out, @Nullable Jdk jdk, Flow flow) {

    boolean jvm() {
        return kind == Kind.PENSTOCK;
    }

    /** Whether it is measured in every scenario, or only under the two closed loops that keep its core busy. */
    boolean everywhere() {
        return out == Protocol.HTTP1 && flow == Flow.ON;
    }

    /** A peer, which has neither a runtime of ours nor flow control. */
    static Target peer(Kind kind, Protocol out) {
        String name = kind == Kind.PAIR ? "envoy-picker" : kind.name().toLowerCase(Locale.ROOT);
        return new Target(out == Protocol.H2C && kind != Kind.DIRECT ? name + "-h2c" : name, kind, out, null, Flow.ON);
    }

    static Target penstock(Jdk jdk, Protocol out, Flow flow) {
        String mode = switch (flow) {
            case ON -> "";
            case OFF -> "-off";
            case GATED -> "-gated";
        };
        return new Target("penstock-" + jdk.feature() + mode + (out == Protocol.H2C ? "-h2c" : ""), Kind.PENSTOCK, out, jdk, flow);
    }

    /**
     * All targets that could be measured here, installed or not. The first runtime has a row for each mode; the others have one in the
     * short set and all with {@code all}.
     */
    static List<Target> all(List<Jdk> jdks, boolean pair, boolean all) {
        List<Target> targets = new ArrayList<>();
        targets.add(new Target("direct", Kind.DIRECT, Protocol.HTTP1, null, Flow.ON));
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
        }
        return targets;
    }
}
