package dev.cdioutbox.kafka;

import jakarta.annotation.Priority;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.Extension;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.SameVersion;

/** Refuses a deployment with jars of other versions, or without Kafka's client. */
public class KafkaExtension implements Extension {
    private static final String CLIENT = "org.apache.kafka.clients.producer.KafkaProducer";
    private static final int FIRST = 1;

    /** Before any other code of this jar calls the other jars. Otherwise only the first batch would show the mistake. */
    void check(@Observes @Priority(FIRST) BeforeBeanDiscovery discovery) {
        SameVersion.require("outbox-kafka", KafkaExtension.class);
        try {
            Class.forName(CLIENT, true, KafkaExtension.class.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            throw OutboxCode.NO_KAFKA_CLIENT.exception(e, e.toString());
        }
    }
}
