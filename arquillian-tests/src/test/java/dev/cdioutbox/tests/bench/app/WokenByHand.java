package dev.cdioutbox.tests.bench.app;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.stream.Stream;
import javax.sql.DataSource;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.PreDestroy;
import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.enterprise.concurrent.ManagedThreadFactory;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/**
 * The least that an outbox with XA has to do for an event: the business transaction inserts a row, its commit wakes a
 * thread, and one XA transaction deletes the row and sends the message. It has no order of keys, no retry and no second
 * node. So its speed is the limit that XA sets.
 *
 * <p>With a claim, it also does the least that keeps the order of the keys on several nodes: while the message is sent,
 * another connection locks the partition of the key.
 */
@ApplicationScoped
public class WokenByHand {
    /** Enough that an event seldom waits for the one before. */
    private static final int THREADS = 4;
    /** As many as a destination of the outbox has. */
    public static final int PARTITIONS = 64;

    private final BlockingQueue<Transactions.Work> committed = new LinkedBlockingQueue<>();
    private List<Thread> senders;

    @Resource(lookup = "java:comp/DefaultDataSource")
    private DataSource dataSource;

    @Resource
    private ManagedThreadFactory threads;

    @Inject
    private Sender messages;

    @Inject
    private Transactions transactions;

    @EJB
    private NewTransaction newTransaction;

    @PostConstruct
    void start() {
        senders = Stream.generate(() -> threads.newThread(this::send))
                .limit(THREADS)
                .toList();
        senders.forEach(Thread::start);
    }

    @PreDestroy
    void stop() {
        senders.forEach(Thread::interrupt);
    }

    /** Inserts the row in the transaction of the thread. Returns its id. */
    long insert(Timed event) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement insert = connection.prepareStatement(
                        "INSERT INTO by_hand (message_key, payload) VALUES (?, ?) RETURNING id")) {
            insert.setString(1, event.account());
            insert.setString(2, event.text());
            try (ResultSet row = insert.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** Wakes a thread. Call this after the commit of the row. */
    void wake(long id) {
        committed.add(() -> transactions.run(() -> messages.send(List.of(delete(id)))));
    }

    /** Wakes a thread, which claims the partition of the account. Call this after the commit of the row. */
    void wakeToClaim(long id, int account) {
        committed.add(() -> {
            try (Connection claim = dataSource.getConnection()) {
                claim.setAutoCommit(false);
                query(claim, "SELECT id FROM by_hand_partition WHERE id = ? FOR UPDATE", account % PARTITIONS);
                query(claim, "SELECT message_key, payload FROM by_hand WHERE id = ?", id);
                newTransaction.run(() -> messages.send(List.of(delete(id))));
                claim.commit();
            }
        });
    }

    private static void query(Connection connection, String sql, long id) throws SQLException {
        try (PreparedStatement select = connection.prepareStatement(sql)) {
            select.setLong(1, id);
            try (ResultSet row = select.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalStateException("no row " + id + ": " + sql);
                }
            }
        }
    }

    /** A failure ends the thread. Then the block counts its messages as lost. */
    private void send() {
        try {
            while (true) {
                committed.take().run();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    private Timed delete(long id) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement delete = connection.prepareStatement(
                        "DELETE FROM by_hand WHERE id = ? RETURNING message_key, payload")) {
            delete.setLong(1, id);
            try (ResultSet row = delete.executeQuery()) {
                if (!row.next()) {
                    throw new IllegalStateException("row " + id + " was gone");
                }
                return new Timed(row.getString(1), row.getString(2));
            }
        }
    }
}
