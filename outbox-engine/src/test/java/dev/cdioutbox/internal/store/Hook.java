package dev.cdioutbox.internal.store;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;

/** Runs an action right before a claim reads the page with the given number. */
final class Hook {
    private final int page;
    private final Runnable what;
    private int pages;

    Hook(int page, Runnable what) {
        this.page = page;
        this.what = what;
    }

    DataSource around(DataSource dataSource) {
        return (DataSource) proxy(DataSource.class, (method, arguments) -> around(dataSource.getConnection()));
    }

    private Connection around(Connection connection) {
        return (Connection) proxy(Connection.class, (method, arguments) -> {
            if (method.getName().equals("prepareStatement")
                    && arguments[0].toString().contains("AS due")) {
                pages++;
                if (pages == page) {
                    what.run();
                }
            }
            return method.invoke(connection, arguments);
        });
    }

    private interface Call {
        Object on(Method method, Object[] arguments) throws Exception;
    }

    private static Object proxy(Class<?> type, Call call) {
        return Proxy.newProxyInstance(Hook.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
            try {
                return call.on(method, arguments);
            } catch (InvocationTargetException e) {
                throw e.getCause();
            }
        });
    }
}
