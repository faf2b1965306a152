package io.penstock.proxy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.List;

/**
 * Takes SIGTERM and SIGINT away from the JVM, which would end with status 143 or 130 and could not tell a second one. The JDK's class for
 * it is not part of the Java API, so it is reached by name; where it is missing the JVM's own handling stays. Any thread.
 */
final class Signals {

    private Signals() {
    }

    /**
     * @param handler called for each signal on a thread of the JVM's
     * @return whether the signals are handled here
     */
    static boolean handle(Runnable handler) {
        try {
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> receiver = Class.forName("sun.misc.SignalHandler");
            InvocationHandler call = (proxy, method, args) -> {
                if ("handle".equals(method.getName())) {
                    handler.run();
                }
                return null;
            };
            Object instance = Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {receiver}, call);
            for (String name : List.of("TERM", "INT")) {
                signal.getMethod("handle", signal, receiver).invoke(null, signal.getConstructor(String.class).newInstance(name), instance);
            }
            return true;
        } catch (ReflectiveOperationException | RuntimeException e) {
            return false;
        }
    }
}
