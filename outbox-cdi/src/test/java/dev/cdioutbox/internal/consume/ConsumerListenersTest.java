package dev.cdioutbox.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import jakarta.annotation.PostConstruct;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Dependent;
import jakarta.inject.Singleton;

import org.jboss.weld.environment.se.Weld;
import org.jboss.weld.environment.se.WeldContainer;
import org.junit.jupiter.api.Test;

/** Guards the work of a consumer against whoever is told of it. */
class ConsumerListenersTest {

    @Test
    void listenerThatFailsBreaksNeitherTheConsumerNorOtherListeners() {
        try (WeldContainer container = new Weld()
                .disableDiscovery()
                .extensions()
                .beanClasses(ConsumerListeners.class, Failing.class, Unmade.class, Told.class)
                .initialize()) {
            container.select(ConsumerListeners.class).get().tell(listener -> listener.begins("shipping"));

            assertThat(container.select(Told.class).get().consumers).containsExactly("shipping");
        }
    }

    @Singleton
    static class Told implements ConsumerListener {
        private final List<String> consumers = new ArrayList<>();

        @Override
        public void begins(String consumer) {
            consumers.add(consumer);
        }
    }

    @ApplicationScoped
    static class Failing implements ConsumerListener {
        @Override
        public void begins(String consumer) {
            throw new NoClassDefFoundError("a class of a feature that is not there");
        }
    }

    @Dependent
    static class Unmade implements ConsumerListener {
        @PostConstruct
        void make() {
            throw new IllegalStateException("no metrics");
        }
    }
}
