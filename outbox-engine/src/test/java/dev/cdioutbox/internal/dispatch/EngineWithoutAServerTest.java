package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.dispatch.container.Environment;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The engine needs no server: it sends what waits in PostgreSQL to a publisher that prints it. */
@Tag("database")
class EngineWithoutAServerTest {

    public static void main(String... none) {
        sendAndPrint(System.out);
    }

    private static void sendAndPrint(PrintStream out) {
        OutboxConfig config =
                TestConfig.of("outbox.table-prefix", "shop_", "outbox.dispatcher.delivery", "at-least-once");
        try (TestDatabase database = new TestDatabase(Database.POSTGRESQL)) {
            FakeTransactions transactions = new FakeTransactions(database.dataSource(), new FakeBroker());
            JdbcOutboxStore store = JdbcOutboxStore.open(
                    transactions.dataSource(),
                    config.store(),
                    config.destinations().keySet());
            ThisNode node = new ThisNode("node-1", "shop", "localhost", "none", 1, "1.0");
            Dispatcher dispatcher = new Dispatcher(
                    store,
                    Map.of("jms", new Printer(out)),
                    node,
                    () -> config,
                    new Environment(transactions, () -> false));

            store.capture().write(List.of(message("ada", "an order of Ada"), message("bob", "an order of Bob")));
            dispatcher.workers().get(TestMessages.DESTINATION).poll();
        }
    }

    @Test
    void messagesThatWaitArePrinted() {
        ByteArrayOutputStream printed = new ByteArrayOutputStream();

        sendAndPrint(new PrintStream(printed));

        assertThat(printed.toString()).contains("an order of Ada", "an order of Bob");
    }

    private record Printer(PrintStream out) implements OutboxPublisher {
        @Override
        public boolean joinsTransactions() {
            return false;
        }

        @Override
        public Sender open(DestinationId destination) {
            return new Sender() {
                @Override
                public void send(OutboxMessage message) {
                    out.println(destination + ": " + message.body().text());
                }

                @Override
                public Map<OutboxMessage, PublishException> complete() {
                    return Map.of();
                }

                @Override
                public void close() {}
            };
        }

        @Override
        public void probe(DestinationId destination) {}
    }
}
