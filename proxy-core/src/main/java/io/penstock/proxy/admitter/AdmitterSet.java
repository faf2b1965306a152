package io.penstock.proxy.admitter;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The admitters in use, asked in order until one denies. They may be replaced while requests run; any thread. */
public final class AdmitterSet {

    private final Consumer<String> onDenied;
    private volatile Admitter[] admitters = new Admitter[0];

    /** @param onDenied takes the name of an admitter that denied a request, for a counter */
    public AdmitterSet(Consumer<String> onDenied) {
        this.onDenied = onDenied;
    }

    /** Takes other admitters from now on. */
    public void use(List<Admitter> next) {
        admitters = next.toArray(Admitter[]::new);
    }

    /** Whether nobody is asked. */
    public boolean isEmpty() {
        return admitters.length == 0;
    }

    /** Why the request must not run, or null to let it go on. */
    public @Nullable Denial deny(AdmittedRequest request) {
        for (Admitter admitter : admitters) {
            Denial denial = admitter.deny(request);
            if (denial != null) {
                onDenied.accept(admitter.name());
                return denial;
            }
        }
        return null;
    }
}
