package dev.cdioutbox.internal.dispatch;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.RecordComponent;
import java.util.Arrays;

import dev.cdioutbox.internal.store.open.JdbcOutboxStore;

/** A store whose roles answer some calls in another way: those of its roles that are interfaces. */
public final class ChangedStore {
    private ChangedStore() {}

    public static JdbcOutboxStore of(JdbcOutboxStore real, Change change) {
        RecordComponent[] roles = JdbcOutboxStore.class.getRecordComponents();
        try {
            return JdbcOutboxStore.class
                    .getDeclaredConstructor(
                            Arrays.stream(roles).map(RecordComponent::getType).toArray(Class<?>[]::new))
                    .newInstance(Arrays.stream(roles)
                            .map(role -> changed(role, real, change))
                            .toArray());
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Object changed(RecordComponent role, JdbcOutboxStore real, Change change) {
        try {
            Class<?> type = role.getType();
            Object unchanged = role.getAccessor().invoke(real);
            return type.isInterface()
                    ? Proxy.newProxyInstance(
                            type.getClassLoader(),
                            new Class<?>[] {type},
                            (proxy, method, arguments) -> change.call(unchanged, method, arguments))
                    : unchanged;
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The unchanged call. */
    public static Object call(Object role, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(role, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    public interface Change {
        Object call(Object role, Method method, Object[] arguments) throws Throwable;
    }
}
