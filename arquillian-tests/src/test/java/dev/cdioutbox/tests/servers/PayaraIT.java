package dev.cdioutbox.tests.servers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.tests.server.Http;
import org.junit.jupiter.api.Test;

class PayaraIT extends OnGlassFish {

    PayaraIT() {
        super("payara");
    }

    @Test
    void healthAndMetricsAnswer() {
        assertThat(Http.get(server().url("/health")).body())
                .contains("outbox-dispatcher", "outbox-store", "outbox-delivery", "outbox-backlog");
        assertThat(Http.get(server().url("/metrics")).body()).contains("outbox_captured_total");
    }
}
