package dev.cdioutbox.internal.capture.message;

import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;

import jakarta.json.bind.Jsonb;

import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.spi.OutboxSerializer;

/** The default serializer, with the application's own JSON-B or the platform's. */
public final class JsonbSerializer implements OutboxSerializer {
    private final Jsonb jsonb;

    public JsonbSerializer(Jsonb jsonb) {
        this.jsonb = jsonb;
    }

    @Override
    public String contentType(Object event) {
        return "application/json";
    }

    @Override
    public OutboxPayload serialize(Object event) {
        String json = jsonb.toJson(event);
        if (json.equals("{}") && hidesItsFields(event.getClass())) {
            throw OutboxCode.EMPTY_PAYLOAD.exception(event.getClass().getName());
        }
        return OutboxPayload.text(json);
    }

    /**
     * Whether a class has fields but JSON-B sees none of them. Events without fields are valid, and events whose
     * properties are all null.
     */
    private static boolean hidesItsFields(Class<?> type) {
        boolean fields = false;
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            fields |= Arrays.stream(declaring.getDeclaredFields()).anyMatch(JsonbSerializer::isState);
        }
        return fields
                && !type.isRecord()
                && Arrays.stream(type.getFields()).noneMatch(JsonbSerializer::isState)
                && Arrays.stream(type.getMethods()).noneMatch(JsonbSerializer::isGetter);
    }

    private static boolean isGetter(Method method) {
        return !Modifier.isStatic(method.getModifiers())
                && method.getDeclaringClass() != Object.class
                && method.getParameterCount() == 0
                && method.getReturnType() != void.class
                && method.getName().matches("(get|is)\\P{Ll}.*");
    }

    private static boolean isState(Field field) {
        return !Modifier.isStatic(field.getModifiers())
                && !Modifier.isTransient(field.getModifiers())
                && !field.isSynthetic();
    }
}
