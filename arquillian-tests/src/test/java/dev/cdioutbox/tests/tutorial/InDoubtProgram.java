package dev.cdioutbox.tests.tutorial;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.transaction.xa.XAResource;

import jakarta.jms.Connection;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSException;
import jakarta.jms.Session;
import jakarta.jms.TextMessage;
import jakarta.jms.XAConnection;
import jakarta.jms.XAConnectionFactory;
import jakarta.jms.XASession;

import org.apache.activemq.command.XATransactionId;

/**
 * The program in the page on transactions in doubt, run in a process like an operator's, and the branches that it meets.
 *
 * @param source the file of the program
 * @param address that of the broker
 */
record InDoubtProgram(Path source, String address) {
    /** The format id of Liberty's transactions. */
    static final int LIBERTY = 1463898948;

    private static final Path PAGE = Path.of("..", "docs", "howto", "transactions-in-doubt.md");
    private static final Pattern JAVA = Pattern.compile("(?ms)^```java\\n(.*?)^```");

    /** @param change what the page says to change in the program for this broker */
    static InDoubtProgram ofThePage(Path folder, String address, UnaryOperator<String> change) throws IOException {
        Matcher program = JAVA.matcher(Files.readString(PAGE));
        assertThat(program.find()).isTrue();
        Path source = Files.writeString(folder.resolve("InDoubt.java"), change.apply(program.group(1)));
        return new InDoubtProgram(source, address);
    }

    /** {@return the lines that the program prints} */
    List<String> run(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                source.toString(),
                address));
        command.addAll(List.of(arguments));
        Path output = source.resolveSibling("output.txt");
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .redirectOutput(output.toFile())
                .start();
        assertThat(process.waitFor()).isZero();
        return Files.readAllLines(output);
    }

    /** Prepares a branch that sends a text to the queue {@code outbox}, as a server does that dies before the commit. */
    static void prepare(XAConnectionFactory broker, String global, String text) throws Exception {
        XATransactionId branch = new XATransactionId();
        branch.setFormatId(LIBERTY);
        branch.setGlobalTransactionId(HexFormat.of().parseHex(global));
        branch.setBranchQualifier(new byte[] {1});
        try (XAConnection connection = broker.createXAConnection()) {
            connection.start();
            XASession session = connection.createXASession();
            session.getXAResource().start(branch, XAResource.TMNOFLAGS);
            session.createProducer(session.createQueue("outbox")).send(session.createTextMessage(text));
            session.getXAResource().end(branch, XAResource.TMSUCCESS);
            assertThat(session.getXAResource().prepare(branch)).isEqualTo(XAResource.XA_OK);
        }
    }

    static List<String> received(ConnectionFactory broker) throws JMSException {
        try (Connection connection = broker.createConnection()) {
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
