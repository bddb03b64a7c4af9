package dev.cdioutbox.internal.dispatch;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

import dev.cdioutbox.internal.store.DispatchStore;

/** A store whose roles answer some calls in another way. */
final class ChangedStore {
    private ChangedStore() {}

    static DispatchStore of(DispatchStore real, Change change) {
        return proxy(DispatchStore.class, real, (store, accessor, none) -> {
            Object role = call(store, accessor, none);
            return accessor.getReturnType().isInterface() ? proxy(accessor.getReturnType(), role, change) : role;
        });
    }

    private static <T> T proxy(Class<T> type, Object real, Change change) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> change.call(real, method, arguments)));
    }

    /** The unchanged call. */
    static Object call(Object role, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(role, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    interface Change {
        Object call(Object role, Method method, Object[] arguments) throws Throwable;
    }
}
