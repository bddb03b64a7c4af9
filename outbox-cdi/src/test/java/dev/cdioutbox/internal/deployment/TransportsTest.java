package dev.cdioutbox.internal.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Alternative;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.inject.Named;

import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;

/** Which publisher sends to a destination, and which deployments lack one. */
class TransportsTest {

    @Test
    void publisherHasTheNameOfItsTransport() {
        with(
                beans -> assertThat(described(OptionalBeans.publishers(beans)))
                        .isEqualTo(Map.of("jms", "Jms", "kafka", "Kafka")),
                Jms.class,
                Kafka.class);
    }

    @Test
    void alternativeReplacesThePublisherOfItsTransportOnly() {
        with(
                beans -> assertThat(described(OptionalBeans.publishers(beans)))
                        .isEqualTo(Map.of("jms", "Other", "kafka", "Kafka")),
                Jms.class,
                Kafka.class,
                Other.class);
    }

    @Test
    void twoPublishersOfOneTransportAreRefused() {
        with(
                beans -> assertThatThrownBy(() -> OptionalBeans.publishers(beans))
                        .hasMessageContaining("OBX-0207")
                        .hasMessageContaining("for jms")
                        .hasMessageContaining("$Jms, ")
                        .hasMessageContaining("$Unnamed"),
                Jms.class,
                Unnamed.class);
    }

    @Test
    void missingPublisherOfADestinationIsRefusedWithItsJar() {
        with(
                beans -> assertThatThrownBy(() -> require(beans, "outbox.destinations.orders.transport", "kafka"))
                        .hasMessageContaining("OBX-0219")
                        .hasMessageContaining("dev.cdioutbox.spi.OutboxPublisher named kafka")
                        .hasMessageContaining("destination 'orders'")
                        .hasMessageContaining("Put outbox-kafka into WEB-INF/lib"),
                Jms.class);
    }

    @Test
    void misspeltTransportIsRefusedWithTheRightOne() {
        with(
                beans -> assertThatThrownBy(() -> require(beans, "outbox.transport", "kafk"))
                        .hasMessageContaining("named kafk (did you mean 'kafka'?)"),
                Kafka.class);
    }

    @Test
    void applicationNeedsThePublishersOfItsTransportsOnly() {
        with(
                beans -> assertThatCode(() -> require(beans, "outbox.transport", "kafka"))
                        .doesNotThrowAnyException(),
                Kafka.class);
        with(
                beans -> assertThatCode(() -> require(
                                beans,
                                "outbox.destinations.orders.transport",
                                "kafka",
                                "outbox.destinations.orders.dispatcher.enabled",
                                "false"))
                        .doesNotThrowAnyException(),
                Jms.class);
    }

    @Test
    void changeDataCaptureNeedsATimerAndNoPublisher() {
        CurrentConfig config = new CurrentConfig(TestConfig.of("outbox.transport", "cdc"));
        with(
                beans -> {
                    assertThatCode(() -> DeployedParts.find(beans, true).requireDispatchers(List.of(config)))
                            .doesNotThrowAnyException();
                    assertThatThrownBy(() -> DeployedParts.find(beans, false).requireDispatchers(List.of(config)))
                            .hasMessageContaining("OBX-0219");
                },
                Kafka.class);
    }

    private static void require(BeanManager beans, String... keysAndValues) {
        List<String> all = new ArrayList<>(
                List.of("outbox.dispatcher.delivery", "at-least-once", "outbox.kafka.bootstrap.servers", "kafka:9092"));
        all.addAll(List.of(keysAndValues));
        OutboxConfig config = TestConfig.of(all.toArray(String[]::new));
        DeployedParts.find(beans, true).requireDispatchers(List.of(new CurrentConfig(config)));
    }

    private static Map<String, String> described(Map<String, OutboxPublisher> publishers) {
        Map<String, String> described = new TreeMap<>();
        publishers.forEach((transport, publisher) -> described.put(transport, ((Transport) publisher).name()));
        return described;
    }

    private static void with(Consumer<BeanManager> test, Class<?>... beans) {
        Weld weld = new Weld().disableDiscovery().addBeanClasses(beans);
        try (WeldContainer container = weld.initialize()) {
            test.accept(container.getBeanManager());
        }
    }

    @ApplicationScoped
    @Named("jms")
    public static class Jms extends Transport {
        @Override
        String name() {
            return "Jms";
        }
    }

    @ApplicationScoped
    @Named("kafka")
    public static class Kafka extends Transport {
        @Override
        String name() {
            return "Kafka";
        }
    }

    @ApplicationScoped
    public static class Unnamed extends Transport {}

    @ApplicationScoped
    @Alternative
    @Priority(1)
    public static class Other extends Transport {
        @Override
        String name() {
            return "Other";
        }
    }

    abstract static class Transport implements OutboxPublisher {
        String name() {
            return "Unnamed";
        }

        @Override
        public boolean joinsTransactions() {
            return false;
        }

        @Override
        public Sender open(DestinationId destination) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void probe(DestinationId destination) {
            // Always there.
        }
    }
}
