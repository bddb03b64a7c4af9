package dev.cdioutbox.internal.capture.event;

import java.util.Optional;

/** The text of a key. Two equal keys must have one text, on every node and for ever. */
final class KeyText {
    /** Whether a class says itself what its text is. */
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
     * The text, or null if there is no key.
     *
     * @throws IllegalArgumentException if the text would be another one for an equal key
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
