package dev.cdioutbox.internal.capture.aggregate;

import java.lang.reflect.AccessibleObject;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** The class and the id of an entity. Two instances with the same id are copies of one row. */
record EntityId(Class<?> entity, List<Object> values) {
    /** By their names, since Jakarta Persistence may be absent. */
    private static final Set<String> ANNOTATIONS = Set.of("jakarta.persistence.Id", "jakarta.persistence.EmbeddedId");

    private static final ClassValue<List<AccessibleObject>> ATTRIBUTES = new ClassValue<>() {
        @Override
        protected List<AccessibleObject> computeValue(Class<?> type) {
            return attributes(type);
        }
    };

    /** The id of an entity; empty if it is not set, or if no annotation says which attribute it is. */
    static Optional<EntityId> of(Object entity) {
        List<AccessibleObject> attributes = ATTRIBUTES.get(entity.getClass());
        List<Object> values = new ArrayList<>();
        for (AccessibleObject attribute : attributes) {
            values.add(read(attribute, entity));
        }
        boolean isUnset = values.isEmpty()
                || values.contains(null)
                || values.size() == 1 && type(attributes.get(0)).isPrimitive() && isZero(values.get(0));
        return isUnset ? Optional.empty() : Optional.of(new EntityId(entity.getClass(), values));
    }

    /** The value of a primitive id that the database has yet to generate. */
    private static boolean isZero(Object value) {
        return value instanceof Number number && number.longValue() == 0;
    }

    private static Class<?> type(AccessibleObject attribute) {
        return attribute instanceof Field field ? field.getType() : ((Method) attribute).getReturnType();
    }

    private static List<AccessibleObject> attributes(Class<?> type) {
        List<AccessibleObject> found = new ArrayList<>();
        for (Class<?> declaring = type; declaring != null; declaring = declaring.getSuperclass()) {
            Stream.of(declaring.getDeclaredFields(), declaring.getDeclaredMethods())
                    .<AccessibleObject>flatMap(Arrays::stream)
                    .filter(EntityId::isId)
                    .forEach(found::add);
        }
        found.forEach(AccessibleObject::trySetAccessible);
        return found;
    }

    private static boolean isId(AnnotatedElement member) {
        return Arrays.stream(member.getAnnotations())
                .anyMatch(annotation ->
                        ANNOTATIONS.contains(annotation.annotationType().getName()));
    }

    private static Object read(AccessibleObject attribute, Object entity) {
        try {
            return attribute instanceof Field field ? field.get(entity) : ((Method) attribute).invoke(entity);
        } catch (IllegalAccessException | InvocationTargetException e) {
            throw new IllegalStateException("the id of an entity cannot be read: " + attribute, e);
        }
    }
}
