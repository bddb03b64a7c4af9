package dev.cdioutbox.internal.capture;

import java.util.List;

import dev.cdioutbox.internal.capture.event.EventValidation;
import dev.cdioutbox.internal.capture.message.MessageFactory;
import dev.cdioutbox.internal.capture.message.MetadataSource;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.spi.OutboxSerializer;

/** Creates message factories for tests. */
public final class TestFactory {
    private TestFactory() {}

    public static MessageFactory of(OutboxConfig config, OutboxSerializer serializer, MetadataSource... sources) {
        return new MessageFactory(config, EventValidation.NONE, serializer, List.of(sources));
    }
}
