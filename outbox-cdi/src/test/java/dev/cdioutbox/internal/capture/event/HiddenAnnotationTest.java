package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.util.Set;

import dev.cdioutbox.OutboxEvent;
import org.junit.jupiter.api.Test;

/**
 * Guards that an event whose annotation is hidden by a class loader is refused. The loader of EAR/lib, for example,
 * does not see the outbox in a WAR.
 */
class HiddenAnnotationTest {

    @OutboxEvent
    static class Annotated {}

    static class Plain {}

    static class Extended extends Annotated {}

    @OutboxEvent
    interface AnnotatedInterface {}

    interface Between extends AnnotatedInterface {}

    static class Implemented implements Between {}

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
    void itIsFoundOnAParentOfAnInterfaceToo() throws Exception {
        assertThatThrownBy(() -> new EventTypes().of(elsewhere(Implemented.class), Set.of()))
                .hasMessageStartingWith("OBX-0118");
    }

    @Test
    void eventsOfOthersAreLeftAlone() throws Exception {
        Object event = elsewhere(Plain.class);

        assertThatCode(() -> new EventTypes().of(event, Set.of())).doesNotThrowAnyException();
        assertThatCode(() -> new EventTypes().of("a string", Set.of())).doesNotThrowAnyException();
    }

    /** Another WAR of the same EAR has the annotation class of its own outbox. */
    @Test
    void eventsOfAnotherOutboxAreLeftAlone() throws Exception {
        Object event = instance(Annotated.class, new Elsewhere(OutboxEvent.class.getName()));
        assertThat(event.getClass().getAnnotations()).isNotEmpty();

        assertThat(new EventTypes().of(event, Set.of())).isEmpty();
    }

    private static Object elsewhere(Class<?> type) throws Exception {
        return instance(type, new Elsewhere("none"));
    }

    private static Object instance(Class<?> type, ClassLoader loader) throws Exception {
        Class<?> there = loader.loadClass(type.getName());
        var constructor = there.getDeclaredConstructor();
        constructor.setAccessible(true);
        return constructor.newInstance();
    }

    /** Loads the classes of this test itself, and one other class of the project. */
    private static final class Elsewhere extends ClassLoader {
        private final String other;

        Elsewhere(String other) {
            super(ClassLoader.getPlatformClassLoader());
            this.other = other;
        }

        @Override
        protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (!name.startsWith(HiddenAnnotationTest.class.getName()) && !name.equals(other)) {
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
