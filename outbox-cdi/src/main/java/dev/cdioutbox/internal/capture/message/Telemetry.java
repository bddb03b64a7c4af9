package dev.cdioutbox.internal.capture.message;

import java.util.Optional;
import java.util.stream.Stream;

import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.BeanManager;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.deployment.PlatformServices;

/** Whether the application sees OpenTelemetry's API, without which events have no trace. */
public final class Telemetry {
    private static final String SPAN = "io.opentelemetry.api.trace.Span";

    private Telemetry() {}

    /** The trace of the caller. The JVM loads {@link TraceHeaders} only if its types are there. */
    static Optional<MetadataSource> source() {
        return PlatformServices.isPresent(SPAN) ? Optional.of(new TraceHeaders()) : Optional.empty();
    }

    /** A finding if the server has a bean of a class that the application does not see. */
    public static Stream<Finding> findings(BeanManager manager) {
        return !PlatformServices.isPresent(SPAN) && hasSpan(manager)
                ? Stream.of(OutboxCode.TELEMETRY_INVISIBLE.finding())
                : Stream.empty();
    }

    private static boolean hasSpan(BeanManager manager) {
        return manager.getBeans(Object.class, Any.Literal.INSTANCE).stream()
                .flatMap(bean -> bean.getTypes().stream())
                .anyMatch(type -> type.getTypeName().equals(SPAN));
    }
}
