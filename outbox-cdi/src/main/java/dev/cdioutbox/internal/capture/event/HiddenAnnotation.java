package dev.cdioutbox.internal.capture.event;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.internal.code.OutboxCode;

/**
 * Finds classes whose annotation the JVM has dropped. The loader of a class in {@code EAR/lib} does not see the outbox in a WAR. The
 * JVM silently ignores an annotation whose class it cannot load, and no outbox would store the event.
 */
final class HiddenAnnotation {
    private static final String DESCRIPTOR = OutboxEvent.class.descriptorString();

    private HiddenAnnotation() {}

    /** @throws dev.cdioutbox.OutboxException OBX-0118 if the class or a supertype has lost its annotation */
    static void refuse(Class<?> eventClass) {
        for (Class<?> type : EventClass.supertypes(eventClass)) {
            if (isOfTheApplication(type.getClassLoader()) && !sees(type.getClassLoader()) && mentions(type)) {
                throw OutboxCode.HIDDEN_ANNOTATION.exception(eventClass.getName(), type.getName());
            }
        }
    }

    private static boolean isOfTheApplication(ClassLoader loader) {
        return loader != null && loader != ClassLoader.getPlatformClassLoader();
    }

    /**
     * Whether the loader finds an outbox, maybe that of another WAR: CDI delivers the events of one WAR to all WARs of
     * the EAR.
     */
    private static boolean sees(ClassLoader loader) {
        try {
            loader.loadClass(OutboxEvent.class.getName());
            return true;
        } catch (ClassNotFoundException | LinkageError hidden) {
            return false;
        }
    }

    private static boolean mentions(Class<?> type) {
        String file = type.getName().substring(type.getName().lastIndexOf('.') + 1) + ".class";
        try (InputStream content = type.getResourceAsStream(file)) {
            return content != null
                    && new String(content.readAllBytes(), StandardCharsets.ISO_8859_1).contains(DESCRIPTOR);
        } catch (IOException unreadable) {
            return false;
        }
    }
}
