package io.penstock.proxy;

import io.penstock.proxy.demo.SimCommand;
import java.security.Security;
import java.util.List;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line. Runs on the main thread. */
@Command(name = "penstock", description = "HTTP/2 proxy and endpoint picker for large-model fleets.", mixinStandardHelpOptions = true,
        versionProvider = ProxyMain.Version.class)
public final class ProxyMain implements Runnable {

    /** As in the file {@code java.security}, where the one for present names is commented out. */
    private static final String JAVA_DEFAULT_NEGATIVE_TTL = "10";

    @Spec
    private CommandSpec spec = CommandSpec.create();

    private ProxyMain() {
    }

    /** Runs the command and ends the process with its exit code. */
    public static void main(String[] arguments) {
        cacheNamesBriefly();
        System.exit(commandLine(arguments).execute(arguments));
    }

    /**
     * Java keeps a name's addresses for 30 s by default, and its absence for 10 s, whatever its record says: longer than a replaced server
     * waits. To be called before the first name is looked up; whoever has set these properties keeps them.
     */
    static void cacheNamesBriefly() {
        for (String property : new String[] {"networkaddress.cache.ttl", "networkaddress.cache.negative.ttl"}) {
            String value = Security.getProperty(property);
            if (value == null || value.equals(JAVA_DEFAULT_NEGATIVE_TTL)) {
                Security.setProperty(property, "1");
            }
        }
    }

    /**
     * The commands. Of each, its options are found by reflection, which is a tenth of the time to {@code /ready}: a line that begins with
     * {@code serve} gets that command alone, since no other can be meant.
     */
    static CommandLine commandLine(String... arguments) {
        CommandLine commands = new CommandLine(new ProxyMain());
        commands.addSubcommand(ServeCommand.class);
        if (arguments.length == 0 || !arguments[0].equals("serve")) {
            List.of(ValidateCommand.class, DemoCommand.class, SimCommand.class, RehearseCommand.class, GenerateCompletion.class)
                    .forEach(commands::addSubcommand);
        }
        commands.setParameterExceptionHandler((wrong, words) -> {
            CommandLine command = wrong.getCommandLine();
            command.getErr().println(wrong.getMessage());
            UnmatchedArgumentException.printSuggestions(wrong, command.getErr());
            command.getErr().println("See '" + command.getCommandSpec().qualifiedName() + " --help'.");
            return CommandLine.ExitCode.USAGE;
        });
        return commands;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "a command is missing");
    }

    /** The version in the jar's manifest. */
    static String version() {
        String version = ProxyMain.class.getPackage().getImplementationVersion();
        return version == null ? "(not from a jar)" : version;
    }

    /** For {@code --version}. */
    static final class Version implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"penstock " + version(), "Java " + Runtime.version()};
        }
    }
}
