package dev.cdioutbox.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Map;
import java.util.Set;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.spi.Bean;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.spi.OutboxPublisher;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;

/** Guards which handlers the deployment finds, and that it adds their transport only if there are some. */
class HandlerExtensionTest {

    @OutboxEvent(type = "placed")
    public record Placed(String id) {}

    abstract static class Ancestor {
        @OutboxHandler("inherited")
        void inherited(Placed placed) {}

        @OutboxHandler("overridden")
        void overridden(Placed placed) {}
    }

    @ApplicationScoped
    public static class Shipping extends Ancestor {
        @OutboxHandler("shipping")
        void ship(Placed placed) {}

        @OutboxHandler(
                value = "audit",
                types = {"placed", "Order*"})
        void audit(ReceivedEvent event) {}

        @Override
        void overridden(Placed placed) {}
    }

    @Alternative
    @ApplicationScoped
    public static class NotEnabled {
        @OutboxHandler("absent")
        void handle(Placed placed) {}
    }

    @ApplicationScoped
    public static class Another {
        @OutboxHandler("shipping")
        void shipToo(Placed placed) {}
    }

    @ApplicationScoped
    public static class Faulty {
        @OutboxHandler("faulty")
        String handle(Placed placed) {
            return placed.id();
        }
    }

    @ApplicationScoped
    public static class Plain {}

    @Test
    void handlersOfEnabledBeansAreFoundWithTheirTypes() {
        try (WeldContainer container = deploy(Shipping.class, NotEnabled.class)) {
            HandlerExtension extension = container.getBeanManager().getExtension(HandlerExtension.class);

            assertThat(extension.types("default"))
                    .isEqualTo(Map.of(
                            "shipping", List.of("placed"),
                            "inherited", List.of("placed"),
                            "audit", List.of("placed", "Order*")));
            assertThat(extension.types("billing")).isEmpty();
            assertThat(publishers(container)).extracting(Bean::getName).containsExactly("local");
        }
    }

    @Test
    void handlerOfAnOutboxThatIsNotConfiguredIsRefused() {
        try (WeldContainer container = deploy(Shipping.class)) {
            HandlerExtension extension = container.getBeanManager().getExtension(HandlerExtension.class);

            assertThatCode(() -> extension.requireOutboxes(Set.of("billing", "default")))
                    .doesNotThrowAnyException();
            assertThatThrownBy(() -> extension.requireOutboxes(Set.of("billing")))
                    .hasMessageStartingWith("OBX-0130")
                    .hasMessageContaining("outbox.outboxes.default.datasource")
                    .hasMessageContaining("configured are [billing]");
        }
    }

    @Test
    void applicationWithoutHandlersHasNoPublisher() {
        try (WeldContainer container = deploy(Plain.class)) {
            assertThat(publishers(container)).isEmpty();
        }
    }

    private static Set<Bean<?>> publishers(WeldContainer container) {
        return container.getBeanManager().getBeans(OutboxPublisher.class);
    }

    @Test
    void twoHandlersOfOneNameAreRefused() {
        assertThatThrownBy(() -> deploy(Shipping.class, Another.class))
                .hasMessageContaining("OBX-0131: several methods are the handler 'shipping' of the outbox 'default'")
                .hasMessageContaining("Shipping.ship")
                .hasMessageContaining("Another.shipToo");
    }

    @Test
    void methodThatCannotBeAHandlerIsRefused() {
        assertThatThrownBy(() -> deploy(Faulty.class))
                .hasMessageContaining("OBX-0130: " + Faulty.class.getName() + ".handle cannot be an @OutboxHandler");
    }

    public interface Contract {
        @OutboxHandler("contract")
        void handle(Placed placed);
    }

    @ApplicationScoped
    public static class Implementing implements Contract {
        @Override
        public void handle(Placed placed) {}
    }

    @Test
    void annotationOfAnInterfaceIsNotOverlooked() {
        assertThatThrownBy(() -> deploy(Implementing.class)).hasMessageContaining("OBX-0130");
    }

    /** On a server, also one whose only constructor has parameters: the usual mistake with constructor injection. */
    @ApplicationScoped
    public static final class Unproxyable {
        @OutboxHandler("shipping")
        void ship(Placed placed) {}
    }

    @Test
    void beanThatCdiCannotProxyIsRefused() {
        assertThatThrownBy(() -> deploy(Unproxyable.class))
                .hasMessageContaining("OBX-0130: " + Unproxyable.class.getName() + ".ship");
    }

    private static WeldContainer deploy(Class<?>... beans) {
        return new Weld()
                .disableDiscovery()
                .extensions(new HandlerExtension())
                .addBeanClasses(beans)
                .initialize();
    }
}
