package dev.cdioutbox.internal.deployment;

import java.util.Collection;
import java.util.Set;
import java.util.logging.Logger;

import jakarta.enterprise.inject.spi.BeanManager;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.Spelling;
import dev.cdioutbox.spi.OutboxPublisher;

/**
 * The parts of the outbox that an application may leave out, and that its configuration may need: publishers, the EJB with
 * the timers, and the console.
 *
 * @param transports those that have a publisher
 * @param hasTimer whether the server made an EJB of the dispatch timer
 */
public record DeployedParts(Set<String> transports, boolean hasTimer) {
    private static final Logger LOG = Logger.getLogger(DeployedParts.class.getName());
    private static final String CONSOLE = "dev.cdioutbox.internal.operate.console.ConsoleExtension";
    private static final String EJB = "EJB that dispatches";

    /** @throws dev.cdioutbox.OutboxException OBX-0207 for several publishers of one transport */
    public static DeployedParts find(BeanManager manager, boolean hasTimer) {
        return new DeployedParts(OptionalBeans.publishers(manager).keySet(), hasTimer);
    }

    /** Only warns: events are sent without it. */
    public static void reportMissingConsole(Collection<CurrentConfig> configurations) {
        boolean isWanted = configurations.stream()
                .anyMatch(config -> config.current().console().enabled());
        if (isWanted && !PlatformServices.isPresent(CONSOLE)) {
            LOG.warning(OutboxCode.NO_CONSOLE.text());
        }
    }

    /**
     * Requires what each destination needs whose dispatcher is enabled: without it, the outbox would send no message and log no
     * error.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0219
     */
    public void requireDispatchers(Collection<CurrentConfig> configurations) {
        for (CurrentConfig config : configurations) {
            config.current().destinations().forEach((name, destination) -> {
                if (config.current().of(name).dispatcher().enabled()) {
                    requireDispatcher(config.current(), name, destination);
                }
            });
        }
        if (onlyCapture(configurations)) {
            LOG.info(OutboxCode.ONLY_CAPTURES.text(transports.isEmpty() ? publisher(DestinationConfig.JMS) : EJB));
        }
    }

    private void requireDispatcher(OutboxConfig config, String name, DestinationConfig destination) {
        String transport = destination.transport();
        if (!hasTimer) {
            throw OutboxCode.NO_DISPATCHER.exception(EJB, config.destinationId(name), transport);
        }
        // With change data capture, only the timer is needed: it purges, and watches the slot.
        if (!destination.isCdc() && !transports.contains(transport)) {
            String publisher = publisher(transport) + Spelling.suggestion(transport, transports);
            throw OutboxCode.NO_DISPATCHER.exception(publisher, config.destinationId(name), transport);
        }
    }

    private boolean onlyCapture(Collection<CurrentConfig> configurations) {
        boolean hasCdc = configurations.stream()
                .anyMatch(
                        config -> !config.current().store().cdc().destinations().isEmpty());
        return !hasTimer || transports.isEmpty() && !hasCdc;
    }

    private static String publisher(String transport) {
        return "bean of the type %s named %s".formatted(OutboxPublisher.class.getName(), transport);
    }
}
