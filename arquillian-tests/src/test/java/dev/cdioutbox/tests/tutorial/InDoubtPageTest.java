package dev.cdioutbox.tests.tutorial;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.List;
import javax.management.MBeanServer;
import javax.management.ObjectName;

import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQXAConnectionFactory;
import org.apache.activemq.broker.BrokerService;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guards that an operator finds and ends ActiveMQ's branches in doubt as the page says. */
class InDoubtPageTest {
    private static final int LIBERTY = InDoubtProgram.LIBERTY;

    @TempDir
    private Path folder;

    private BrokerService broker;
    private String address;

    @BeforeEach
    void start() throws Exception {
        broker = new BrokerService();
        broker.setBrokerName("in-doubt");
        broker.setDataDirectory(folder.resolve("data").toString());
        broker.getManagementContext().setCreateConnector(false);
        address = broker.addConnector("tcp://localhost:0").getPublishableConnectString();
        broker.start();
    }

    @AfterEach
    void stop() throws Exception {
        broker.stop();
        broker.waitUntilStopped();
    }

    @Test
    void programOfThePageListsAndEndsBranches() throws Exception {
        InDoubtProgram program = InDoubtProgram.ofThePage(folder, address, text -> text);
        prepare("01", "to commit");
        prepare("02", "to roll back");

        assertThat(program.run()).containsExactlyInAnyOrder(LIBERTY + " 01", LIBERTY + " 02");
        assertThat(program.run("commit", "01")).contains("commit: done");
        assertThat(program.run("rollback", "02")).contains("rollback: done");
        assertThat(program.run()).isEmpty();
        assertThat(received()).containsExactly("to commit");
    }

    @Test
    void beansOfThePageEndBranchesThatARestartedBrokerFinds() throws Exception {
        prepare("01", "to commit");
        stop();
        start();

        MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        ObjectName name = beans.queryNames(
                        new ObjectName("org.apache.activemq:type=Broker,brokerName=in-doubt,"
                                + "transactionType=RecoveredXaTransaction,xid=*"),
                        null)
                .iterator()
                .next();
        assertThat((byte[]) beans.getAttribute(name, "GlobalTransactionId"))
                .isEqualTo(HexFormat.of().parseHex("01"));
        beans.invoke(name, "heuristicCommit", null, null);

        assertThat(received()).containsExactly("to commit");
    }

    private void prepare(String global, String text) throws Exception {
        InDoubtProgram.prepare(new ActiveMQXAConnectionFactory(address), global, text);
    }

    private List<String> received() throws Exception {
        return InDoubtProgram.received(new ActiveMQConnectionFactory(address));
    }
}
