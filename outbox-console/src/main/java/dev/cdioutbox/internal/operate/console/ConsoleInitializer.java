package dev.cdioutbox.internal.operate.console;

import java.util.Optional;
import java.util.Set;
import java.util.logging.Logger;

import jakarta.enterprise.inject.spi.CDI;
import jakarta.servlet.HttpConstraintElement;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.ServletSecurityElement;
import jakarta.servlet.annotation.ServletSecurity.TransportGuarantee;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.CurrentConfig;
import dev.cdioutbox.internal.config.OutboxConfig.ConsoleConfig;

/** Registers the console if it is enabled; otherwise changes nothing in the web application. */
public final class ConsoleInitializer implements ServletContainerInitializer {
    private static final Logger LOG = Logger.getLogger(ConsoleInitializer.class.getName());

    @Override
    public void onStartup(Set<Class<?>> none, ServletContext application) {
        Optional<ConsoleConfig> console = configured();
        if (console.isEmpty()) {
            return;
        }
        String path = console.get().path();
        if (isTaken(path, application)) {
            LOG.severe(OutboxCode.CONSOLE_PATH_TAKEN.text(path));
            return;
        }
        application.declareRoles(Role.labels());
        ServletRegistration.Dynamic servlet =
                application.addServlet(ConsoleServlet.class.getName(), ConsoleServlet.class);
        servlet.setServletSecurity(
                new ServletSecurityElement(new HttpConstraintElement(TransportGuarantee.NONE, Role.labels())));
        servlet.addMapping(path + "/*");
        // The context path of a root application is empty by the specification, but a slash on Open Liberty.
        LOG.info(OutboxCode.CONSOLE_OPENED.text(
                application.getContextPath().replaceFirst("/$", "") + path, Role.listed()));
    }

    /** Empty if the console is disabled, or without a CDI container: then this application has no outbox. */
    private static Optional<ConsoleConfig> configured() {
        CDI<Object> beans;
        try {
            beans = CDI.current();
        } catch (IllegalStateException none) {
            return Optional.empty();
        }
        return beans.select(CurrentConfig.class).stream()
                .map(config -> config.current().console())
                .filter(ConsoleConfig::enabled)
                .findFirst();
    }

    /** Whether the application has a servlet or files under the path: the console would silently hide the files. */
    private static boolean isTaken(String path, ServletContext application) {
        Set<String> files = application.getResourcePaths(path + "/");
        return (files != null && !files.isEmpty())
                || application.getServletRegistrations().values().stream()
                        .flatMap(servlet -> servlet.getMappings().stream())
                        .anyMatch(mapping -> mapping.equals(path) || mapping.startsWith(path + "/"));
    }
}
