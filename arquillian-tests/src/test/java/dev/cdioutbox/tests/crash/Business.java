package dev.cdioutbox.tests.crash;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;

import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.capture.PlainCapture;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.operate.MessageOperation;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;
import dev.cdioutbox.tests.crash.BusinessEvent.Details;
import dev.cdioutbox.tests.crash.BusinessEvent.Kind;

/**
 * The business threads of a node. A writer changes an aggregate under its row lock and fires events in one transaction.
 * An operator replays, discards and retries messages.
 *
 * <p>Both write rows for the {@link AccountBook} into tables of their own, in the same transaction. A writer reports
 * each outcome that it knows.
 */
final class Business {
    private static final Logger LOG = Logger.getLogger(Business.class.getName());
    private static final int MANY = 100;

    /**
     * In messages: above this limit the writers pause, so that a slow machine can deliver the rest at the end of the
     * run.
     */
    private static final int LONG_BACKLOG = 200;

    private static final int PAUSE_MILLIS = 60;
    private static final int OPERATOR_PAUSE_MILLIS = 250;
    private static final int PAUSE_AFTER_FAILURE_MILLIS = 200;
    private static final int PAUSE_AT_LONG_BACKLOG_MILLIS = 2000;

    private static volatile boolean quiet;
    private static volatile boolean replaysMany;

    private final Node node;
    private final TransactionManager manager;
    private final PlainCapture capture;
    private final DataSource dataSource;

    Business(Node node, TransactionManager manager, PlainCapture capture, DataSource dataSource) {
        this.node = node;
        this.manager = manager;
        this.capture = capture;
        this.dataSource = dataSource;
    }

    /** Ends the writers, the replays and the discards. The operator still retries abandoned messages. */
    static void quiet() {
        quiet = true;
    }

    /** Makes the operator replay up to 100 messages, once. */
    static void replayMany() {
        replaysMany = true;
    }

    void start(int writers, long seed) {
        for (int writer = 0; writer < writers; writer++) {
            Random random = new Random(seed + writer);
            repeat("writer", () -> write(random), PAUSE_MILLIS, () -> quiet);
        }
        Random random = new Random(~seed);
        repeat("operator", () -> operate(random), OPERATOR_PAUSE_MILLIS, () -> false);
    }

    /** Repeats work in a thread of its own. */
    static void repeat(String name, Work work, int pauseMillis, BooleanSupplier end) {
        new Thread(() -> repeat(work, pauseMillis, end), name).start();
    }

    private static void repeat(Work work, int pauseMillis, BooleanSupplier end) {
        while (!end.getAsBoolean()) {
            int pause = pauseMillis;
            try {
                work.run();
            } catch (Exception e) {
                LOG.log(Level.WARNING, "A transaction failed.", e);
                pause = PAUSE_AFTER_FAILURE_MILLIS;
            }
            try {
                Thread.sleep(pause);
            } catch (InterruptedException e) {
                return;
            }
        }
    }

    private void write(Random random) throws Exception {
        if (random.nextInt(10) == 0 && backlog() > LONG_BACKLOG) {
            Thread.sleep(PAUSE_AT_LONG_BACKLOG_MILLIS);
            return;
        }
        String transaction = UUID.randomUUID().toString();
        manager.begin();
        try {
            try (Connection connection = dataSource.getConnection()) {
                for (Details details : change(connection, transaction, random)) {
                    capture.fire(BusinessEvent.of(details));
                }
            }
            if (random.nextInt(20) == 0) {
                manager.rollback();
                node.report().line("R " + transaction);
                return;
            }
            capture.beforeCompletion();
        } catch (Exception | Error e) {
            rollBack();
            node.report().line("R " + transaction);
            throw e;
        }
        commit(transaction);
    }

    private int backlog() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement count = connection.prepareStatement(Points.WAITING);
                ResultSet row = count.executeQuery()) {
            row.next();
            return row.getInt(1);
        }
    }

    private void commit(String transaction) throws Exception {
        try {
            manager.commit();
            node.report().line("C " + transaction);
        } catch (RollbackException e) {
            node.report().line("R " + transaction);
            throw e;
        }
    }

    private void rollBack() {
        try {
            manager.rollback();
        } catch (SystemException | IllegalStateException e) {
            LOG.log(Level.FINE, "A business transaction was rolled back already.", e);
        }
    }

    /** The row lock of the aggregate orders the numbers of its events like the commits. */
    private static List<Details> change(Connection connection, String transaction, Random random) throws SQLException {
        int count = 1 + random.nextInt(3);
        List<Details> events = new ArrayList<>();
        try (PreparedStatement update = connection.prepareStatement(
                        "UPDATE business_aggregate SET number = number + ? WHERE id = (SELECT id FROM business_aggregate"
                                + " OFFSET floor(? * (SELECT count(*) FROM business_aggregate)) LIMIT 1)"
                                + " RETURNING id, number, clock_timestamp()");
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO business_event (payload, transaction_id) VALUES (?, ?)")) {
            update.setInt(1, count);
            update.setDouble(2, random.nextDouble());
            try (ResultSet row = update.executeQuery()) {
                row.next();
                for (int i = 0; i < count; i++) {
                    events.add(details(random, row.getString(1), row.getLong(2) - count + 1 + i, row.getTimestamp(3)));
                }
            }
            for (Details details : events) {
                insert.setString(1, details.payload());
                insert.setString(2, transaction);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        return events;
    }

    private static Details details(Random random, String key, long number, Timestamp now) {
        int die = random.nextInt(100);
        Kind kind = die < 68
                ? Kind.ORDERED
                : die < 70
                        ? Kind.REFUSED
                        : die < 80
                                ? Kind.KEYLESS
                                : die < 88 ? Kind.DELAYED : die < 97 ? Kind.REPLAYABLE : Kind.DISCARDABLE;
        Instant notBefore = kind == Kind.DELAYED ? now.toInstant().plusMillis(100 + random.nextInt(900)) : null;
        return new Details(UUID.randomUUID().toString(), kind, key, number, notBefore);
    }

    private void operate(Random random) throws Exception {
        operate(MessageOperation.RETRY, OutboxFilter.all().withStatus(OutboxStatus.ABANDONED), MANY);
        if (replaysMany) {
            operate(MessageOperation.REPLAY, OutboxFilter.all().withEventType(BusinessEvent.Replayable.TYPE), MANY);
            replaysMany = false;
        } else if (!quiet) {
            operate(
                    MessageOperation.REPLAY,
                    OutboxFilter.all().withEventType(BusinessEvent.Replayable.TYPE),
                    random.nextInt(4));
            operate(
                    MessageOperation.DISCARD,
                    OutboxFilter.all().withEventType(BusinessEvent.Discardable.TYPE),
                    random.nextInt(3));
        }
    }

    private void operate(MessageOperation change, OutboxFilter filter, int most) throws Exception {
        manager.begin();
        try {
            JdbcOutboxStore store = capture.outboxes().standard().store();
            List<Long> candidates = store.finder().candidates(change, filter, OutboxPageRequest.of(100)).stream()
                    .limit(most)
                    .toList();
            if (!candidates.isEmpty()) {
                List<OutboxMessage> before = store.finder().find(candidates);
                Set<Long> changed = new HashSet<>(store.operations().change(change, candidates));
                note(
                        change,
                        before.stream()
                                .filter(message -> changed.contains(message.sequence()) && isNoted(change, message))
                                .toList());
            }
        } catch (Exception | Error e) {
            rollBack();
            throw e;
        }
        manager.commit();
    }

    /** Whether the account book has to know of an operation: it changes the effects of a message, or their order. */
    private boolean isNoted(MessageOperation change, OutboxMessage message) {
        return switch (change) {
            // What is sent to the nodes again takes no effect again.
            case REPLAY -> message.delivery().destination().equals(node.mode().destination());
            case DISCARD -> true;
            case RETRY -> isSetAside(message);
            default -> throw new IllegalArgumentException(change.name());
        };
    }

    /** Whether the inbox has found that the message came after a later one of its key. */
    private static boolean isSetAside(OutboxMessage message) {
        String error = message.delivery().lastError();
        return error != null && error.startsWith("OBX-0472");
    }

    private void note(MessageOperation change, List<OutboxMessage> messages) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO business_operation (operation, payload) VALUES (?, ?)")) {
            for (OutboxMessage message : messages) {
                insert.setString(1, change.name());
                insert.setString(2, message.body().text());
                insert.addBatch();
            }
            insert.executeBatch();
        }
    }

    interface Work {
        void run() throws Exception;
    }
}
