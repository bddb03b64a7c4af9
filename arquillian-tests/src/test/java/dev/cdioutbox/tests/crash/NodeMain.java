package dev.cdioutbox.tests.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import javax.sql.DataSource;

import jakarta.jms.ConnectionFactory;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.internal.capture.PlainCapture;
import dev.cdioutbox.internal.ejb.PlainDispatch;
import dev.cdioutbox.internal.observe.trace.TelemetryTraces;
import dev.cdioutbox.jms.internal.consume.PlainJmsInbox;
import dev.cdioutbox.jms.internal.send.JmsPublisher;
import dev.cdioutbox.kafka.KafkaPublisher;
import org.apache.activemq.command.ActiveMQQueue;

/**
 * A node: the real engine in a plain JVM with a transaction manager, a database, a broker and business threads. System
 * properties configure it; see {@link NodeProcess}.
 */
final class NodeMain {
    /** Enough for the workers, timers and wake-ups of a small server. */
    private static final int THREADS = 6;

    private NodeMain() {}

    public static void main(String[] arguments) throws IOException {
        Report report = new Report(new PrintStream(System.out, true, StandardCharsets.UTF_8));
        // A library that prints to standard output would corrupt the report.
        System.setOut(System.err);
        Properties properties = System.getProperties();
        String name = properties.getProperty("harness.node");
        String wrong = properties.getProperty("harness.wrong");
        Resources resources = new Resources(
                properties.getProperty("harness.database"), properties.getProperty("harness.broker"), name);
        Node node = new Node(
                name,
                Mode.valueOf(properties.getProperty("harness.mode")),
                report,
                new Breakpoint(report),
                resources,
                wrong == null ? null : WrongEngine.valueOf(wrong));
        Node.set(node);
        String armed = properties.getProperty("harness.arm");
        if (armed != null) {
            arm(node, armed.split(" "));
        }
        Sends sends = new Sends(node.wrong() == WrongEngine.SETTLE_BEFORE_SEND ? new LateSends() : null);
        Thread commands = new Thread(() -> start(node, sends), "start");
        commands.setDaemon(true);
        commands.start();
        obey(node, sends);
    }

    private static void start(Node node, Sends sends) {
        try {
            Properties properties = System.getProperties();
            NodeTransactions transactions = NodeTransactions.start(
                    node.name(),
                    Path.of(properties.getProperty("harness.log")),
                    Integer.getInteger("harness.transaction-timeout"));
            TransactionManager manager = transactions.manager();
            TransactionSynchronizationRegistry registry = transactions.registry();
            DataSource dataSource = new TransactionalDataSource(node, manager, registry).dataSource();
            PlainNaming.bind("java:comp/UserTransaction", transactions.user());
            PlainNaming.bind("java:comp/TransactionSynchronizationRegistry", registry);
            PlainNaming.bind("jdbc/outbox", dataSource);
            ConnectionFactory factory =
                    new TransactionalConnectionFactory(node, manager, registry, sends).connectionFactory();
            PlainNaming.bind("jms/factory", factory);
            ActiveMQQueue queue = new ActiveMQQueue(properties.getProperty("harness.queue"));
            PlainNaming.bind("jms/outbox", queue);
            PlainNaming.install();
            if (node.wrong() == WrongEngine.NO_FENCING) {
                System.setProperty("outbox.kafka.transactional.id", node.name() + "-");
            }
            PlainConfig.install();
            PlainCapture capture = PlainCapture.open(
                    BusinessEvent.TYPES,
                    List.of(new BusinessEvent.Serializer(), new BusinessEvent.Delay()),
                    node.mode().handlers());
            ScheduledExecutorService threads = Executors.newScheduledThreadPool(THREADS);
            Executor wakeUps = node.wrong() == WrongEngine.WAKE_UP_LOST ? lost -> {} : threads;
            PlainDispatch dispatch = new PlainDispatch(
                    capture.outboxes(),
                    Map.of(
                            "jms",
                            new JmsPublisher(capture.outboxes(), new TelemetryTraces()),
                            "local",
                            new HandlerEdge(node, sends, dataSource, manager),
                            "kafka",
                            new KafkaEdge(node, sends, new KafkaPublisher(capture.outboxes(), new TelemetryTraces()))),
                    transactions,
                    threads,
                    wakeUps,
                    Duration.ofMillis(Long.getLong("harness.purge-millis")));
            dispatch.start();
            Runtime.getRuntime().addShutdownHook(new Thread(dispatch::stop));
            Business business = new Business(node, manager, capture, dataSource);
            node.report().line("READY");
            if (node.mode() == Mode.INBOX) {
                InboxReceiver receiver =
                        new InboxReceiver(node, transactions, factory, queue, new PlainJmsInbox(capture.outboxes()));
                Business.repeat("receiver", receiver::receive, 0, () -> false);
            }
            business.start(Integer.getInteger("harness.writers"), Long.getLong("harness.seed"));
        } catch (RuntimeException | Error e) {
            e.printStackTrace();
            Runtime.getRuntime().halt(1);
        }
    }

    /**
     * Obeys the controller, which holds the other end of standard input. At the controller's death the stream ends, and
     * so the node ends too.
     */
    private static void obey(Node node, Sends sends) throws IOException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            String[] command = line.split(" ");
            switch (command[0]) {
                case "ARM" -> arm(node, command[1], command[2]);
                case "GO" -> {
                    sends.slowDown(0);
                    node.breakpoint().release();
                }
                case "SLOW" -> sends.slowDown(Long.parseLong(command[1]));
                case "QUIET" -> Business.quiet();
                case "REPLAY" -> Business.replayMany();
                case "STOP" -> System.exit(0);
                default -> throw new IllegalArgumentException(line);
            }
        }
        Runtime.getRuntime().halt(2);
    }

    private static void arm(Node node, String... pointAndOccurrence) {
        node.breakpoint().arm(Point.valueOf(pointAndOccurrence[0]), Integer.parseInt(pointAndOccurrence[1]));
    }
}
