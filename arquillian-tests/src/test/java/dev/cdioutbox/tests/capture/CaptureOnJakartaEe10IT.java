package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;

import dev.cdioutbox.tests.server.Http;
import dev.cdioutbox.tests.server.LibertyServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The capture scenarios hold on Jakarta EE 10 too. */
@Tag("full")
class CaptureOnJakartaEe10IT {

    @Test
    void everyScenarioHolds() {
        try (LibertyServer server = LibertyServer.sample("capture10")
                .onJakartaEe10()
                .set("outbox.dispatcher.enabled", "false")
                .running(CaptureArchive.ours("java:comp/DefaultDataSource"), ScenarioServlet.READY)
                .start()) {
            String answer = Http.get(server.url(ScenarioServlet.PLAY)).body();
            assertThat(answer.lines())
                    .as(answer)
                    .containsExactlyElementsOf(Arrays.stream(Scenario.values())
                            .map(scenario -> scenario + ScenarioServlet.HELD)
                            .toList());
            assertThat(server.log()).contains("jakartaee-10.0");
        }
    }
}
