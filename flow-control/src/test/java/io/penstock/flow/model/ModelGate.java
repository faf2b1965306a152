package io.penstock.flow.model;

import io.penstock.flow.GateOn;
import io.penstock.flow.SaturationView;
import io.penstock.flow.Stage;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Saturation by stage as spec/flow-control section 6.4 has it, and the ceilings of section 4.7. One thread. */
final class ModelGate {

    /** What the script told the detectors: the default one, prefill's, decode's. */
    final double[] told = {1.0, 1.0, 1.0};
    Setup setup;
    private @Nullable Double prefill;
    private @Nullable Double decode;
    private double effective = 1.0;

    ModelGate(Setup setup) {
        this.setup = setup;
    }

    SaturationView view() {
        return new SaturationView(prefill, decode, effective);
    }

    double measure(List<Integer> members, int[] inFlight) {
        prefill = stage(Stage.PREFILL, members, inFlight);
        decode = stage(Stage.DECODE, members, inFlight);
        GateOn gateOn = setup.config().gateOn();
        if (gateOn.stage() == Stage.PREFILL) {
            effective = prefill == null ? 1.0 : prefill;
        } else if (gateOn.stage() == Stage.DECODE) {
            effective = decode == null ? 1.0 : decode;
        } else if (prefill == null && decode == null) {
            effective = ask(0, members, inFlight);
        } else {
            effective = Math.max(prefill == null ? 0.0 : prefill, decode == null ? 0.0 : decode);
        }
        return effective;
    }

    /** Whether what gates dispatch has an endpoint; where it has none, nobody who stops makes room. */
    boolean hasEndpoints(List<Integer> members) {
        Stage stage = setup.config().gateOn().stage();
        return members.stream().anyMatch(member -> stage == null || serves(setup.roles().get(member), stage));
    }

    private @Nullable Double stage(Stage stage, List<Integer> members, int[] inFlight) {
        List<Integer> serving = new ArrayList<>();
        for (int member : members) {
            if (serves(setup.roles().get(member), stage)) {
                serving.add(member);
            }
        }
        if (serving.isEmpty()) {
            return null;
        }
        return ask(setup.stages() ? stage.ordinal() + 1 : 0, serving, inFlight);
    }

    private static boolean serves(String role, Stage stage) {
        return switch (role) {
            case "prefill" -> stage == Stage.PREFILL;
            case "decode", "" -> stage == Stage.DECODE;
            case "both" -> true;
            default -> false;
        };
    }

    private double ask(int detector, List<Integer> members, int[] inFlight) {
        if (!setup.byLoad()) {
            return told[detector];
        }
        if (members.isEmpty()) {
            return 1.0;
        }
        int sum = 0;
        for (int member : members) {
            sum += inFlight[member];
        }
        return (double) sum / (members.size() * Setup.SET_POINT);
    }

    /** The ceiling of the band at that place of all priorities, highest first. */
    static double ceiling(Setup.Ceilings ceilings, List<Integer> priorities, int index) {
        double lowest = ceilings.lowest();
        int bands = priorities.size();
        if (ceilings.type().equals("static-usage-limit-policy")) {
            return lowest;
        }
        if (bands == 1) {
            return 1.0;
        }
        if (!ceilings.byValue()) {
            return 1.0 - index * (1.0 - lowest) / (bands - 1);
        }
        double bottom = priorities.get(bands - 1);
        double ratio = (priorities.get(index) - bottom) / (priorities.get(0) - bottom);
        return lowest + ratio * (1.0 - lowest);
    }
}
