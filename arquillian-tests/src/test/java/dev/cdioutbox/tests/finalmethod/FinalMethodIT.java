package dev.cdioutbox.tests.finalmethod;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.UUID;

import jakarta.inject.Inject;

import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxOperations;
import dev.cdioutbox.tests.container.Deployments;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The outbox works in an application whose message-driven bean CDI cannot intercept. */
@Tag("full")
@ExtendWith(ArquillianExtension.class)
class FinalMethodIT {
    @Inject
    Firing firing;

    @Inject
    OutboxOperations outbox;

    @Deployment
    static WebArchive tests() {
        return Deployments.named("final-method.war").addPackage(FinalMethodIT.class.getPackage());
    }

    @Test
    void itsEventsAreStored() {
        String id = UUID.randomUUID().toString();

        firing.fire(id);

        assertThat(outbox.find(OutboxFilter.all().withKey(id))).hasSize(1);
    }

    @Test
    void logNamesTheBeanForWhichNoCausesAreKnown() throws IOException {
        assertThat(Path.of(System.getProperty("server.output.dir"), "logs", "messages.log"))
                .content()
                .contains("OBX-0514: " + FinalBean.class.getName() + ": a message-driven bean with a final method");
    }
}
