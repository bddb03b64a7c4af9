package dev.cdioutbox.testing;

import java.util.List;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.inject.Singleton;

import dev.cdioutbox.internal.capture.UnitTestCapture;
import dev.cdioutbox.internal.deployment.PlatformServices;
import dev.cdioutbox.internal.handle.UnitTestHandlers;

/** Makes {@link CapturedEvents} injectable. CDI calls it. */
public class TestingExtension implements Extension {
    private static final List<String> INTERNALS = List.of("dev.cdioutbox.internal.", "dev.cdioutbox.jms.internal.");

    private final CapturedEvents events = new CapturedEvents();

    /** Vetoes the beans of dispatcher, operations and metrics without a server, since they need its services. */
    <T> void leaveOut(@Observes ProcessAnnotatedType<T> found) {
        String name = found.getAnnotatedType().getJavaClass().getName();
        if (!PlatformServices.areNamed() && INTERNALS.stream().anyMatch(name::startsWith)) {
            found.veto();
        }
    }

    void findHandlers(@Observes AfterDeploymentValidation valid, BeanManager beans) {
        events.handleWith(UnitTestHandlers.of(beans));
    }

    void add(@Observes AfterBeanDiscovery discovery) {
        discovery
                .<CapturedEvents>addBean()
                .types(CapturedEvents.class)
                .scope(Singleton.class)
                .createWith(context -> events);
        discovery
                .<UnitTestCapture>addBean()
                .types(UnitTestCapture.class)
                .scope(Singleton.class)
                .createWith(context -> new RecordedCapture(events));
    }
}
