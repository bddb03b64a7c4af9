package dev.cdioutbox.tests.bench.app;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

/** The business transaction: an INSERT, an UPDATE of an account, and events of that account. */
@ApplicationScoped
public class Business {
    /** Enough for several threads to seldom meet at one. */
    private static final int ACCOUNTS = 1000;

    @Resource(lookup = "java:comp/DefaultDataSource")
    private DataSource dataSource;

    @Inject
    private Event<BenchEvent> events;

    @Inject
    private Sender sender;

    @Inject
    private Transactions transactions;

    @Inject
    private WokenByHand woken;

    /** Runs a transaction with some events of a random account. */
    void order(Way way, int count) throws Exception {
        int account = ThreadLocalRandom.current().nextInt(ACCOUNTS);
        String key = "account-" + account;
        List<Ordered> some = IntStream.range(0, count)
                .mapToObj(i -> new Ordered(key, BenchEvent.text(i, key)))
                .toList();
        run(way, account, some, () -> {});
    }

    /** Runs a transaction with one event. Its number chooses the account. */
    void time(Way way, long number, Runnable beforeCommit) throws Exception {
        int account = (int) (number % ACCOUNTS);
        String key = "account-" + account;
        Timed event = new Timed(key, BenchEvent.text(number, key));
        if (way == Way.WOKEN || way == Way.CLAIMED) {
            wake(way, account, event, beforeCommit);
        } else {
            run(way, account, List.of(event), beforeCommit);
        }
    }

    private void wake(Way way, int account, Timed event, Runnable beforeCommit) throws Exception {
        AtomicLong id = new AtomicLong();
        transactions.run(
                () -> {
                    write(account, way, List.of());
                    id.set(woken.insert(event));
                },
                beforeCommit);
        if (way == Way.WOKEN) {
            woken.wake(id.get());
        } else {
            woken.wakeToClaim(id.get(), account);
        }
    }

    private void run(Way way, int account, List<? extends BenchEvent> some, Runnable beforeCommit) throws Exception {
        transactions.run(
                () -> {
                    if (way.writesRows()) {
                        write(account, way, some);
                    }
                    if (way == Way.OUTBOX) {
                        some.forEach(events::fire);
                    } else if (way == Way.DIRECT || way == Way.RAW) {
                        sender.send(some);
                    }
                },
                beforeCommit);
    }

    private void write(int account, Way way, List<? extends BenchEvent> some) throws SQLException {
        try (Connection connection = dataSource.getConnection()) {
            try (PreparedStatement insert =
                    connection.prepareStatement("INSERT INTO purchase (account, item) VALUES (?, ?)")) {
                insert.setInt(1, account);
                insert.setString(2, "Tea");
                insert.executeUpdate();
            }
            try (PreparedStatement update =
                    connection.prepareStatement("UPDATE account SET purchases = purchases + 1 WHERE id = ?")) {
                update.setInt(1, account);
                update.executeUpdate();
            }
            if (way.insert() != null) {
                try (PreparedStatement batch = connection.prepareStatement(way.insert())) {
                    for (BenchEvent event : some) {
                        batch.setString(1, event.account());
                        batch.setString(2, event.text());
                        batch.addBatch();
                    }
                    batch.executeBatch();
                }
            }
        }
    }
}
