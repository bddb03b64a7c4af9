package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.TreeMap;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.code.OutboxCode;
import org.junit.jupiter.api.Test;

/** Guards what is told of the configuration: at the start, and when it changes. */
class CurrentConfigTest {
    private static final String MISSPELT = "outbox.dispatcher.intervall";

    private final Map<String, String> properties = new TreeMap<>();

    @Test
    void misspeltKeyIsToldWhileTheServerRunsAndUntilItIsCorrected() {
        CurrentConfig config = started();
        properties.put(MISSPELT, "PT1S");
        try (LogLines log = new LogLines(CurrentConfig.class.getName())) {
            config.refresh();
            config.refresh();
            assertThat(log.all())
                    .singleElement()
                    .asString()
                    .startsWith("OBX-0202: ")
                    .contains(MISSPELT + " (did you mean 'outbox.dispatcher.interval'?)");
        }
        assertThat(config.findings()).extracting(Finding::code).containsExactly("OBX-0202");

        properties.remove(MISSPELT);
        config.refresh();
        assertThat(config.findings()).isEmpty();
    }

    /** A queue, an outbox and a property of a client have no key at the start that could change. */
    @Test
    void whatIsNewNeedsARestart() {
        CurrentConfig config = started();
        properties.put("outbox.dead-letters.exceptions.jndi", "jms/exceptions");
        properties.put("outbox.destinations.ledger.topic", "ledger");
        properties.put("outbox.destinations.ledger.transport", "kafka");
        properties.put("outbox.kafka.bootstrap.servers", "localhost:9092");
        properties.put("outbox.outboxes.second.datasource", "jdbc/second");
        config.refresh();

        assertThat(config.findings())
                .singleElement()
                .isEqualTo(OutboxCode.RESTART_NEEDED.finding(String.join(", ", properties.keySet())));
        properties.clear();
        config.refresh();
        assertThat(config.findings()).isEmpty();
    }

    @Test
    void wrongValueIsToldAndThePreviousConfigurationStays() {
        CurrentConfig config = started();
        properties.put("outbox.dispatcher.batch-size", "many");
        config.refresh();

        assertThat(config.findings()).extracting(Finding::code).containsExactly("OBX-0205");
        assertThat(config.current()).isEqualTo(TestConfig.of());
    }

    private CurrentConfig started() {
        return new CurrentConfig(TestConfig.MODULE, () -> TestConfig.of(OutboxConfig.DEFAULT_OUTBOX, properties));
    }

    /** The class path of this test has the API of MicroProfile Config and no implementation. */
    @Test
    void missingMicroProfileConfigIsNamed() {
        assertThatThrownBy(() -> CurrentConfig.loadAll("shop", outbox -> Map.of()))
                .hasMessageStartingWith("OBX-0221: MicroProfile Config is missing")
                .hasMessageContaining("mpConfig")
                .hasMessageContaining("classifier testing");
    }
}
