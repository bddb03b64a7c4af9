package dev.cdioutbox.tests.tutorial;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.transaction.xa.XAResource;

import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.XAConnection;
import jakarta.jms.XASession;

import org.apache.activemq.ActiveMQConnectionFactory;
import org.apache.activemq.ActiveMQXAConnectionFactory;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.command.XATransactionId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guards that an operator finds and ends ActiveMQ's branches in doubt as the page says. */
class InDoubtPageTest {
    private static final Path PAGE = Path.of("..", "docs", "howto", "transactions-in-doubt.md");
    private static final int LIBERTY = 1463898948;

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
        Matcher program = Pattern.compile("(?ms)^```java\\n(.*?)^```").matcher(Files.readString(PAGE));
        assertThat(program.find()).isTrue();
        Path file = Files.writeString(folder.resolve("InDoubt.java"), program.group(1));
        prepare("01", "to commit");
        prepare("02", "to roll back");

        assertThat(run(file)).containsExactlyInAnyOrder(LIBERTY + " 01", LIBERTY + " 02");
        assertThat(run(file, "commit", "01")).contains("commit: done");
        assertThat(run(file, "rollback", "02")).contains("rollback: done");
        assertThat(run(file)).isEmpty();
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
        byte[] id = HexFormat.of().parseHex(global);
        XATransactionId branch = new XATransactionId();
        branch.setFormatId(LIBERTY);
        branch.setGlobalTransactionId(id);
        branch.setBranchQualifier(new byte[] {1});
        try (XAConnection connection = new ActiveMQXAConnectionFactory(address).createXAConnection()) {
            connection.start();
            XASession session = connection.createXASession();
            session.getXAResource().start(branch, XAResource.TMNOFLAGS);
            session.createProducer(session.createQueue("outbox")).send(session.createTextMessage(text));
            session.getXAResource().end(branch, XAResource.TMSUCCESS);
            assertThat(session.getXAResource().prepare(branch)).isEqualTo(XAResource.XA_OK);
        }
    }

    /** The lines that the program prints, run in a process like an operator's. */
    private List<String> run(Path file, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                file.toString(),
                address));
        command.addAll(List.of(arguments));
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor()).isZero();
        return Files.readAllLines(output);
    }

    private List<String> received() throws Exception {
        try (var connection = new ActiveMQConnectionFactory(address).createConnection()) {
            connection.start();
            Session session = connection.createSession(false, Session.AUTO_ACKNOWLEDGE);
            var consumer = session.createConsumer(session.createQueue("outbox"));
            List<String> texts = new ArrayList<>();
            while (consumer.receive(1000) instanceof TextMessage message) {
                texts.add(message.getText());
            }
            return texts;
        }
    }
}
