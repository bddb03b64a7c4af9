package dev.cdioutbox.tests.tutorial;

import static dev.cdioutbox.tests.tutorial.InDoubtProgram.LIBERTY;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import dev.cdioutbox.tests.server.LibertyServer;
import org.apache.activemq.artemis.api.core.management.ActiveMQServerControl;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.jms.client.ActiveMQConnectionFactory;
import org.apache.activemq.artemis.jms.client.ActiveMQXAConnectionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guards that an operator finds and ends the branches that are in doubt on Artemis as the page says. */
class InDoubtOnArtemisPageTest {
    private static final Path PAGE = Path.of("..", "docs", "howto", "transactions-in-doubt.md");
    private static final String IMPORT = "import org.apache.activemq.ActiveMQXAConnectionFactory;";
    private static final String IMPORT_OF_ARTEMIS =
            "import org.apache.activemq.artemis.jms.client.ActiveMQXAConnectionFactory;";

    @TempDir
    private Path folder;

    private final EmbeddedActiveMQ broker = new EmbeddedActiveMQ();
    private String address;

    @BeforeEach
    void start() throws Exception {
        address = "tcp://localhost:" + LibertyServer.freePort();
        broker.setConfiguration(new ConfigurationImpl()
                .setSecurityEnabled(false)
                .setPersistenceEnabled(false)
                .addAcceptorConfiguration("tcp", address));
        broker.start();
        prepare("01", "to commit");
        prepare("02", "to roll back");
    }

    @AfterEach
    void stop() throws Exception {
        broker.stop();
    }

    @Test
    void programOfThePageListsAndEndsBranches() throws Exception {
        assertThat(Files.readString(PAGE)).contains(IMPORT, "`" + IMPORT_OF_ARTEMIS + "`");
        InDoubtProgram program =
                InDoubtProgram.ofThePage(folder, address, text -> text.replace(IMPORT, IMPORT_OF_ARTEMIS));

        assertThat(program.run()).containsExactlyInAnyOrder(LIBERTY + " 01", LIBERTY + " 02");
        assertThat(program.run("commit", "01")).contains("commit: done");
        assertThat(program.run("rollback", "02")).contains("rollback: done");
        assertThat(program.run()).isEmpty();
        assertThat(received()).containsExactly("to commit");
    }

    @Test
    void managementOperationsOfThePageEndBranches() throws Exception {
        ActiveMQServerControl control = broker.getActiveMQServer().getActiveMQServerControl();
        List<String> ids = Arrays.stream(control.listPreparedTransactions())
                .map(line -> line.replaceFirst(".* base64: (\\S+) .*", "$1"))
                .toList();
        assertThat(ids).hasSize(2);

        assertThat(control.commitPreparedTransaction(ids.get(0))).isTrue();
        assertThat(control.rollbackPreparedTransaction(ids.get(1))).isTrue();

        assertThat(control.listPreparedTransactions()).isEmpty();
        assertThat(received()).containsExactly("to commit");
    }

    private void prepare(String global, String text) throws Exception {
        InDoubtProgram.prepare(new ActiveMQXAConnectionFactory(address), global, text);
    }

    private List<String> received() throws Exception {
        return InDoubtProgram.received(new ActiveMQConnectionFactory(address));
    }
}
