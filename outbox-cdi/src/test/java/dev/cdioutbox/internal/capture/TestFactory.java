package dev.cdioutbox.internal.capture;

import java.util.List;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.spi.OutboxSerializer;

/** Message factories for tests. */
final class TestFactory {
    private TestFactory() {}

    static MessageFactory of(OutboxConfig config, OutboxSerializer serializer, MetadataSource... sources) {
        return new MessageFactory(
                config,
                EventValidator.NONE,
                new BodyFactory(serializer, config.capture().maxPayloadBytes()),
                List.of(sources));
    }
}
