package dev.cdioutbox.internal.operate.console;

import java.util.logging.Logger;

import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.Extension;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.SameVersion;
import dev.cdioutbox.internal.deployment.PlatformServices;

/** Refuses a deployment with jars of other versions, and says why a WAR without servlets does not start. */
public class ConsoleExtension implements Extension {
    private static final Logger LOG = Logger.getLogger(ConsoleExtension.class.getName());
    private static final String SERVLETS = "jakarta.servlet.ServletContainerInitializer";
    private static final int FIRST = 1;

    /** Only warns without servlets: the server's log does not say why the web container fails. */
    void check(@Observes @Priority(FIRST) BeforeBeanDiscovery discovery) {
        SameVersion.require("outbox-console", ConsoleExtension.class);
        if (!PlatformServices.isPresent(SERVLETS)) {
            LOG.warning(OutboxCode.NO_SERVLETS.text());
        }
    }
}
