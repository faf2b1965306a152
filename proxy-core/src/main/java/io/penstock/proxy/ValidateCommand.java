package io.penstock.proxy;

import io.penstock.proxy.config.LoadResult;
import io.penstock.proxy.config.PickerSettings;
import io.penstock.proxy.endpoint.DiscoveryException;
import io.penstock.proxy.endpoint.FileDiscovery;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** {@code validate}: reads what {@code serve} would read and says everything that is wrong with it. */
@Command(name = "validate", description = "Checks configuration files; prints all problems as file:line:column: message.",
        mixinStandardHelpOptions = true, exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {"0:no problems", "1:problems", "2:wrong command line"})
final class ValidateCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Mixin
    private ConfigOptions options = new ConfigOptions();

    @Override
    public Integer call() {
        options.check(spec);
        LoadResult result = options.load();
        result.problems().forEach(problem -> spec.commandLine().getOut().println(problem));
        PickerSettings.Discovery discovery = result.settings() == null ? null : result.settings().picker().discovery();
        if (discovery != null) {
            try {
                FileDiscovery.read(discovery.path());
            } catch (DiscoveryException e) {
                e.problems().forEach(problem -> spec.commandLine().getOut().println(problem));
                spec.commandLine().getErr().println(e.problems().size() + " error(s)");
                return 1;
            }
        }
        if (result.settings() == null) {
            spec.commandLine().getErr().println(result.errors().size() + " error(s)");
            return 1;
        }
        return 0;
    }
}
