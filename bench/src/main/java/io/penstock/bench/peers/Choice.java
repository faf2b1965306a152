package io.penstock.bench.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Pattern;

/**
 * What {@code --only} leaves of all targets and scenarios. A name may hold {@code *}. Names of targets choose among targets, names of
 * scenarios among scenarios; where none of a kind is named, all of that kind stay. Immutable.
 *
 * @param targets that stay, in their order
 * @param scenarios that stay, in their order
 * @param problems names that fit nothing, each as a message
 */
record Choice(List<Target> targets, List<Scenario> scenarios, List<String> problems) {

    static Choice of(List<Target> targets, List<Scenario> scenarios, List<String> only) {
        List<Pattern> patterns = only.stream().map(Choice::pattern).toList();
        List<String> problems = new ArrayList<>();
        for (int i = 0; i < patterns.size(); i++) {
            Pattern pattern = patterns.get(i);
            if (named(targets, Target::name, List.of(pattern)).isEmpty() && named(scenarios, Scenario::label, List.of(pattern)).isEmpty()) {
                problems.add("--only: " + only.get(i) + " (expected: a target or scenario of this set: see --list, and --all for all)");
            }
        }
        List<Target> chosenTargets = named(targets, Target::name, patterns);
        List<Scenario> chosenScenarios = named(scenarios, Scenario::label, patterns);
        return new Choice(chosenTargets.isEmpty() ? targets : chosenTargets,
                chosenScenarios.isEmpty() ? scenarios : chosenScenarios, problems);
    }

    private static <T> List<T> named(List<T> all, Function<T, String> name, List<Pattern> patterns) {
        return all.stream().filter(each -> patterns.stream().anyMatch(pattern -> pattern.matcher(name.apply(each)).matches())).toList();
    }

    private static Pattern pattern(String glob) {
        return Pattern.compile("\\Q" + glob.replace("*", "\\E.*\\Q") + "\\E");
    }
}
