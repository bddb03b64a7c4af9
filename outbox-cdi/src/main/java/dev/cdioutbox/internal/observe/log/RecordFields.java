package dev.cdioutbox.internal.observe.log;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * Adds fields to log records, which Open Liberty's JSON log shows as {@code ext_<name>}. java.util.logging has no such
 * fields; on other servers they appear in the line's text only.
 */
final class RecordFields {
    private static final Logger LOG = Logger.getLogger(RecordFields.class.getName());
    private static final String LIBERTY = "com.ibm.websphere.logging.hpel.LogRecordContext";

    private static final MethodHandle ADD =
            find("addExtension", MethodType.methodType(void.class, String.class, String.class));
    private static final MethodHandle REMOVE =
            find("removeExtension", MethodType.methodType(boolean.class, String.class));

    private RecordFields() {}

    /** Runs a log call; the records of this thread have these fields meanwhile. */
    static void during(Map<String, String> fields, Runnable logging) {
        if (ADD == null || REMOVE == null) {
            logging.run();
            return;
        }
        fields.forEach((name, value) -> call(ADD, name, value));
        try {
            logging.run();
        } finally {
            fields.keySet().forEach(name -> call(REMOVE, name));
        }
    }

    private static void call(MethodHandle method, Object... arguments) {
        try {
            method.invokeWithArguments(arguments);
        } catch (Throwable e) {
            // The text of the line has the fields too.
            LOG.log(Level.FINEST, "a field could not be given to a log record", e);
        }
    }

    private static MethodHandle find(String method, MethodType type) {
        try {
            Class<?> context = Class.forName(LIBERTY, true, RecordFields.class.getClassLoader());
            return MethodHandles.publicLookup().findStatic(context, method, type);
        } catch (ReflectiveOperationException | LinkageError notOnLiberty) {
            return null;
        }
    }
}
