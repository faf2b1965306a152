package io.penstock.proxy;

import io.penstock.proxy.demo.SimCommand;
import java.security.Security;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The command line. Runs on the main thread. */
@Command(name = "penstock", description = "HTTP/2 proxy and endpoint picker for large-model fleets.", mixinStandardHelpOptions = true,
        versionProvider = ProxyMain.Version.class,
        subcommands = {ServeCommand.class, ValidateCommand.class, DemoCommand.class, SimCommand.class, GenerateCompletion.class})
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
        System.exit(commandLine().execute(arguments));
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

    static CommandLine commandLine() {
        CommandLine commands = new CommandLine(new ProxyMain());
        commands.setParameterExceptionHandler((wrong, arguments) -> {
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
