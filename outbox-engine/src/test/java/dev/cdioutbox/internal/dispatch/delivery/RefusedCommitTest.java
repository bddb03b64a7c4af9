package dev.cdioutbox.internal.dispatch.delivery;

import static dev.cdioutbox.internal.store.TestMessages.numbered;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.TestDatabase;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Guards that a commit that PostgreSQL refuses is charged to no message, and that the log has PostgreSQL's reason. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class RefusedCommitTest {
    static {
        // The server's start would exceed the timeout of the first test.
        Database.POSTGRESQL.start();
    }

    private static final int RUNS = 5;

    private final TestDatabase database = new TestDatabase(Database.POSTGRESQL);

    @AutoClose
    private final DispatchScene scene =
            new DispatchScene(database, "outbox.partitions", "1", "outbox.retry.max-attempts", "3");

    @AutoClose
    private final LogLines logged = new LogLines("dev.cdioutbox");

    @BeforeEach
    void prepare() {
        scene.transactions.prepares = true;
    }

    @Test
    void triggerThatNotifiesChargesNoMessage() {
        assertThat(scene.run()).as("the proof of exactly-once").isNull();
        notifyAtEachSettlement();
        scene.write(numbered(0, 6, 6));

        runWithoutCharge("cannot PREPARE a transaction that has executed LISTEN, UNLISTEN, or NOTIFY");

        database.update("DROP TRIGGER notify ON shop_queue");
        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).containsExactly("0", "1", "2", "3", "4", "5");
    }

    @Test
    void triggerThatIsThereAtTheStartRefusesExactlyOnce() {
        notifyAtEachSettlement();
        scene.write("a", "1");

        assertThat(scene.run()).isNotNull();

        assertThat(scene.broker.opened).as("nothing is sent in vain").hasValue(0);
        assertThat(logged.all())
                .anyMatch(line -> line.startsWith("OBX-0403") && line.contains("cannot PREPARE a transaction"));
    }

    @Test
    void preparedTransactionsThatAreAllInUseChargeNoMessage() throws SQLException {
        assertThat(scene.run()).as("the proof of exactly-once").isNull();
        scene.write(numbered(0, 6, 6));

        List<String> held = prepareAllOthers();
        try {
            runWithoutCharge("all 10 prepared transactions of the database are in use (max_prepared_transactions)");
        } finally {
            held.forEach(name -> database.update("ROLLBACK PREPARED '" + name + "'"));
        }

        assertThat(scene.run()).isNull();
        assertThat(scene.broker.texts()).hasSize(6);
    }

    @Test
    void fewerPreparedTransactionsThanThreadsAreWarnedOfOnce() {
        scene.dispatcher.checkNodes();
        assertThat(logged.all()).noneMatch(line -> line.startsWith("OBX-0436"));

        scene.configure(() -> DispatchScene.config("outbox.dispatcher.concurrency", "11"));
        scene.dispatcher.checkNodes();
        scene.dispatcher.checkNodes();

        assertThat(logged.all())
                .filteredOn(line -> line.startsWith("OBX-0436"))
                .singleElement(STRING)
                .contains("allows 10 prepared transactions, and 11 may be needed");
    }

    private void runWithoutCharge(String reason) {
        for (int run = 0; run < RUNS; run++) {
            assertThat(scene.run()).isNotNull();
        }
        assertThat(database.statusesAndAttempts()).containsExactly("PENDING0");
        assertThat(logged.all())
                .anyMatch(line -> line.startsWith("OBX-0401") && line.contains("OBX-0435") && line.contains(reason));
    }

    private void notifyAtEachSettlement() {
        database.update("CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS"
                + " 'BEGIN PERFORM pg_notify(''changes'', OLD.seq::text); RETURN OLD; END'");
        database.update("CREATE TRIGGER notify AFTER DELETE ON shop_queue FOR EACH ROW EXECUTE FUNCTION tell()");
    }

    private List<String> prepareAllOthers() throws SQLException {
        int most = Integer.parseInt(
                database.query("SHOW max_prepared_transactions").get(0));
        List<String> held = new ArrayList<>();
        try (Connection session = database.dataSource().getConnection()) {
            session.setAutoCommit(false);
            for (int number = 0; number < most; number++) {
                Database.execute(session, "SELECT 1");
                Database.execute(session, "PREPARE TRANSACTION 'held-" + number + "'");
                held.add("held-" + number);
            }
        }
        return held;
    }
}
