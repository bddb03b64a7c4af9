package dev.cdioutbox.internal.observe.log;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.OneLine;

/**
 * The fields of a log line about a message, for machines: names and values in a fixed order, without unknown ones. Open
 * Liberty's JSON log shows them as {@code ext_<name>}. java.util.logging has no such fields; on other servers they appear
 * in the line's text only.
 */
final class Fields {
    private static final String PLAIN = "[\\w.:/@+-]+";

    private static final Logger LOG = Logger.getLogger(Fields.class.getName());
    private static final String LIBERTY = "com.ibm.websphere.logging.hpel.LogRecordContext";

    private static final MethodHandle ADD =
            find("addExtension", MethodType.methodType(void.class, String.class, String.class));
    private static final MethodHandle REMOVE =
            find("removeExtension", MethodType.methodType(boolean.class, String.class));

    private final Map<String, String> values = new LinkedHashMap<>();

    private Fields() {}

    static Fields of(String action, Object eventId, String eventType, String correlationId) {
        return new Fields()
                .and("outbox_action", action)
                .and("outbox_event_id", eventId)
                .and("event_type", eventType)
                .and("correlation_id", correlationId);
    }

    Fields and(String name, Object value) {
        if (value != null) {
            values.put(name, value.toString());
        }
        return this;
    }

    /** All fields in one line. Quotes foreign values, which could otherwise forge a log line or a field. */
    @Override
    public String toString() {
        return values.entrySet().stream()
                .map(field -> field.getKey() + "=" + quoted(field.getValue()))
                .collect(Collectors.joining(" "));
    }

    /** A plain value unchanged; any other one in quotes and in one line. */
    static String quoted(Object any) {
        String value = String.valueOf(any);
        if (value.matches(PLAIN)) {
            return value;
        }
        return '"' + OneLine.of(value.replaceAll("[\"\\\\]", "\\\\$0")) + '"';
    }

    /** Runs a log call; the records of this thread have these fields meanwhile. */
    void during(Runnable logging) {
        if (ADD == null || REMOVE == null) {
            logging.run();
            return;
        }
        values.forEach((name, value) -> call(ADD, name, value));
        try {
            logging.run();
        } finally {
            values.keySet().forEach(name -> call(REMOVE, name));
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
            Class<?> context = Class.forName(LIBERTY, true, Fields.class.getClassLoader());
            return MethodHandles.publicLookup().findStatic(context, method, type);
        } catch (ReflectiveOperationException | LinkageError notOnLiberty) {
            return null;
        }
    }
}
