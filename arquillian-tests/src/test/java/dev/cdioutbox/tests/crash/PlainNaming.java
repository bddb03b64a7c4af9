package dev.cdioutbox.tests.crash;

import java.lang.reflect.Proxy;
import java.util.Hashtable;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.naming.Context;
import javax.naming.NameNotFoundException;
import javax.naming.spi.InitialContextFactory;

/** JNDI of a plain JVM, over a map. */
public final class PlainNaming implements InitialContextFactory {
    private static final Map<String, Object> BOUND = new ConcurrentHashMap<>();

    static void bind(String name, Object object) {
        BOUND.put(name, object);
    }

    static void install() {
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, PlainNaming.class.getName());
    }

    @Override
    public Context getInitialContext(Hashtable<?, ?> environment) {
        return (Context) Proxy.newProxyInstance(
                PlainNaming.class.getClassLoader(), new Class<?>[] {Context.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("lookup")) {
                        Object found = BOUND.get(arguments[0].toString());
                        if (found == null) {
                            throw new NameNotFoundException(arguments[0].toString());
                        }
                        return found;
                    }
                    return null;
                });
    }
}
