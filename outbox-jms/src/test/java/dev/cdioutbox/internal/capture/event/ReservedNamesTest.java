package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import dev.cdioutbox.jms.internal.send.MappedProperties;
import org.junit.jupiter.api.Test;

/** What users may not call a header is what the mapping to JMS sets, seen from the only module that knows both. */
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
        // These are headers to the mapping, and set by the capture.
        Set<String> trace = Set.of("traceparent", "tracestate");
        assertThat(HeaderNames.RESERVED)
                .allSatisfy(name -> assertThat(MappedProperties.ofAFullMessage().contains(name) || trace.contains(name))
                        .as(name)
                        .isTrue());
    }
}
