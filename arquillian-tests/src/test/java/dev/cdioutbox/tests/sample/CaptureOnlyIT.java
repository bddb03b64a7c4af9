package dev.cdioutbox.tests.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;

import dev.cdioutbox.tests.container.Deployments;
import dev.cdioutbox.tests.server.FirstColumn;
import dev.cdioutbox.tests.server.LibertyServer;
import org.junit.jupiter.api.Test;

/** An application that only captures needs outbox-cdi alone, and no feature for EJBs, messaging, health or metrics. */
class CaptureOnlyIT {

    @Test
    void eventsAreStoredOnAServerWithoutEjbsAndMessaging() throws SQLException {
        try (LibertyServer server = LibertyServer.sample("capture-only", "capture-only.xml")
                .running(
                        Deployments.withoutConsole(Deployments.withoutOutboxJms(Deployments.bare("capture-only.war")))
                                .addClasses(Noted.class, NotingServlet.class),
                        "/note")
                .start()) {
            assertThat(server.log())
                    .contains("OBX-0226: this application has no bean of the type dev.cdioutbox.spi.OutboxPublisher")
                    .doesNotContain("OBX-0407")
                    .doesNotContain("[WARNING", "[ERROR", "FFDC");
            server.stop();
            try (Connection connection = server.connection()) {
                assertThat(FirstColumn.of(
                                connection, "SELECT status FROM outbox_message_view WHERE event_type = 'Noted'"))
                        .isNotEmpty()
                        .containsOnly("PENDING");
            }
        }
    }
}
