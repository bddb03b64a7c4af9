package dev.cdioutbox.internal.capture.event;

import java.util.Optional;

/** Turns a key into text. Two equal keys must have the same text, on every node and at any time. */
final class KeyText {
    /** Whether a class overrides {@code toString()}. */
    private static final ClassValue<Boolean> HAS_TEXT = new ClassValue<>() {
        @Override
        protected Boolean computeValue(Class<?> type) {
            try {
                return type.getMethod("toString").getDeclaringClass() != Object.class;
            } catch (NoSuchMethodException never) {
                return false;
            }
        }
    };

    private KeyText() {}

    /**
     * The text; null without a key.
     *
     * @throws IllegalArgumentException if equal keys could have different texts
     */
    static String of(Object value) {
        if (value instanceof Optional<?> optional) {
            return of(optional.orElse(null));
        }
        if (value != null && !HAS_TEXT.get(value.getClass())) {
            throw new IllegalArgumentException(value.getClass().getTypeName()
                    + " has no toString() of its own, so equal keys would have other texts");
        }
        return value == null ? null : value.toString();
    }
}
