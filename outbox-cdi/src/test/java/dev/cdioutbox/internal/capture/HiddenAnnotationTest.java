package dev.cdioutbox.internal.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;

import dev.cdioutbox.OutboxEvent;
import org.junit.jupiter.api.Test;

/** A class loader that does not see the outbox, as that of EAR/lib does not see a WAR. */
class HiddenAnnotationTest {

    @OutboxEvent
    static class Annotated {}

    static class Plain {}

    static class Extended extends Annotated {}

    @Test
    void annotationThatJavaHasLeftOutIsRefused() throws Exception {
        Object event = elsewhere(Annotated.class);
        assertThat(event.getClass().getAnnotations()).isEmpty();

        assertThatThrownBy(() -> new EventTypes().of(event, Set.of()))
                .hasMessageStartingWith("OBX-0118: event " + Annotated.class.getName());
    }

    @Test
    void itIsFoundOnWhatAClassExtendsToo() throws Exception {
        assertThatThrownBy(() -> new EventTypes().of(elsewhere(Extended.class), Set.of()))
                .hasMessageStartingWith("OBX-0118");
    }

    @Test
    void eventsOfOthersAreLeftAlone() throws Exception {
        Object event = elsewhere(Plain.class);

        assertThatCode(() -> new EventTypes().of(event, Set.of())).doesNotThrowAnyException();
        assertThatCode(() -> new EventTypes().of("a string", Set.of())).doesNotThrowAnyException();
    }

    private static Object elsewhere(Class<?> type) throws Exception {
        Class<?> there = new Blind().loadClass(type.getName());
        var constructor = there.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    /** Loads the classes of this test itself, and no other of the house. */
    private static final class Blind extends ClassLoader {
        Blind() {
            super(ClassLoader.getPlatformClassLoader());
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.startsWith(HiddenAnnotationTest.class.getName())) {
                throw new ClassNotFoundException(name);
            }
            try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }

        @Override
        public InputStream getResourceAsStream(String name) {
            return HiddenAnnotationTest.class.getClassLoader().getResourceAsStream(name);
        }
    }
}
