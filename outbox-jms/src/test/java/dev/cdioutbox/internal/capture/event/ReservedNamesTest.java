package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import dev.cdioutbox.jms.internal.send.MappedProperties;
import org.junit.jupiter.api.Test;

/** The reserved header names are the properties that the mapping to JMS sets. Only this module knows both. */
class ReservedNamesTest {

    @Test
    void everyPropertyOfAMessageIsReserved() {
        Set<String> properties = MappedProperties.ofAFullMessage();

        assertThat(properties)
                .contains("messageId", "sequence", "tenantId")
                .allSatisfy(
                        name -> assertThat(HeaderNames.problem(name)).as(name).isNotNull());
    }

    @Test
    void nothingElseIsReserved() {
        // The capture sets the first three, and the mapping treats them as headers. The fourth is a property of JMS'
        // own,
        // and a header
        // of a record of Kafka.
        Set<String> others = Set.of("traceparent", "tracestate", "generation", "correlationId");
        assertThat(HeaderNames.RESERVED).allSatisfy(name -> assertThat(
                        MappedProperties.ofAFullMessage().contains(name) || others.contains(name))
                .as(name)
                .isTrue());
    }
}
