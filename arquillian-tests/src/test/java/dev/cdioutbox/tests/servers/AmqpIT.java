package dev.cdioutbox.tests.servers;

import static dev.cdioutbox.tests.server.Patience.LONG;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.jms.JMSException;
import jakarta.jms.Message;

import dev.cdioutbox.tests.server.ArtemisBroker;
import dev.cdioutbox.tests.server.LibertyServer;
import dev.cdioutbox.tests.server.PostgresServer;
import dev.cdioutbox.tests.server.QueuedMessages;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Qpid JMS, a client that no container manages, on Open Liberty: it loses and overtakes no message, though server and broker are
 * killed. The configuration is that of docs/howto/amqp.md.
 */
class AmqpIT {
    private static final Pattern BINDING = Pattern.compile("(?ms)^```xml\\n(<library.*?)^```$");
    private static final Pattern CLIENT = Pattern.compile("(qpid-jms-client|proton-j|netty-|slf4j-api).*\\.jar");
    private static final int PREPARED_TRANSACTIONS = 100;
    private static final int KILLS = 3;
    private static final int PILE = 400;
    private static final String WAITING =
            "SELECT seq FROM outbox_message_view WHERE status IS DISTINCT FROM 'PUBLISHED'";
    private static final String PILED = QueuedMessages.onPostgresql("""
            INSERT INTO outbox_message (message_id, application, event_type, schema_version, message_key, partition_id,
              destination, content_type, payload, payload_bytes, occurred_at)
            SELECT gen_random_uuid(), p.application, 'OrderPlaced', 1, 'key-' || n %% 40, p.id, p.destination,
              'application/json', '{}', 2, now()
            FROM generate_series(1, %d) n JOIN outbox_partition p ON p.partition_no = 2 + n %% 40 ORDER BY n""".formatted(PILE));

    @Test
    void exactlyOnceIsRefusedAndAtLeastOnceLosesAndOvertakesNothingWhenServerAndBrokerAreKilled(@TempDir Path client)
            throws IOException, JMSException {
        try (PostgresServer database = new PostgresServer().start(PREPARED_TRANSACTIONS);
                ArtemisBroker broker = new ArtemisBroker("amqp-broker").start();
                LibertyServer server = LibertyServer.sample("amqp", "amqp.xml")
                        .withElement(binding(client, broker))
                        .set("cdioutbox.postgresql.port", String.valueOf(database.port()))
                        .set("cdioutbox.postgresql.database", "postgres")
                        .set("cdioutbox.postgresql.user", "postgres")
                        .set("outbox.dispatcher.delivery", "exactly-once")
                        .start()) {
            database.update(PILED);
            await().atMost(LONG).until(() -> server.log().contains("OBX-0403: destination 'default'"));
            assertThat(server.log()).contains("OBX-0517: the sessions of the connection factory jms/amqp");
            assertThat(broker.drain("outbox")).isEmpty();

            server.set("outbox.dispatcher.delivery", "at-least-once");
            List<Message> received = new ArrayList<>();
            for (int kill = 1; kill <= KILLS; kill++) {
                sendSome(database);
                server.kill();
                server.start();
                sendSome(database);
                broker.kill();
                broker.start();
                received.addAll(broker.drain("outbox"));
            }
            await().atMost(LONG).until(() -> database.query(WAITING).isEmpty());
            received.addAll(broker.drain("outbox"));

            assertEachThereAndFirstCopiesInOrder(
                    received, database.query("SELECT message_id FROM outbox_message ORDER BY seq"));
        }
    }

    /** Waits until some of many new messages are sent, and others wait. */
    private static void sendSome(PostgresServer database) {
        database.update(PILED);
        int before = database.query(WAITING).size();
        await().atMost(LONG)
                .pollInterval(Duration.ofMillis(5))
                .until(() -> database.query(WAITING).size() < before);
    }

    private static void assertEachThereAndFirstCopiesInOrder(List<Message> received, List<String> stored)
            throws JMSException {
        Set<String> ids = new LinkedHashSet<>();
        Map<String, Long> last = new HashMap<>();
        for (Message message : received) {
            if (ids.add(message.getStringProperty("messageId"))) {
                long sequence = message.getLongProperty("sequence");
                Long before = last.put(message.getStringProperty("aggregateId"), sequence);
                assertThat(before == null || before < sequence)
                        .as("%d came after %s", sequence, before)
                        .isTrue();
            }
        }
        assertThat(ids).containsExactlyInAnyOrderElementsOf(stored);
    }

    private static String binding(Path client, ArtemisBroker broker) throws IOException {
        for (String file : System.getProperty("java.class.path").split(":")) {
            Path jar = Path.of(file);
            if (CLIENT.matcher(jar.getFileName().toString()).matches()) {
                Files.copy(jar, client.resolve(jar.getFileName()));
            }
        }
        Path page = Path.of(System.getProperty("project.root"), "docs", "howto", "amqp.md");
        Matcher binding = BINDING.matcher(Files.readString(page));
        assertThat(binding.find()).as("a binding in %s", page).isTrue();
        return binding.group(1)
                .replace("${server.config.dir}/amqp", client.toString())
                .replace("amqp://broker:5672", "amqp://localhost:" + broker.port())
                .replaceAll("<variable name=\"outbox.dispatcher.delivery\".*", "");
    }
}
