package dev.cdioutbox.tests.bench;

import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.function.ToDoubleFunction;

import dev.cdioutbox.tests.server.PostgresServer;

/**
 * What a server does while nobody uses it.
 *
 * @param statements a second, without those that begin, end and configure transactions
 * @param transactions of the database, a second
 * @param cpu of all processes, in percent of a core
 * @param walBytes that PostgreSQL writes to its log in a second
 */
record Idle(double statements, double transactions, double cpu, double walBytes) {
    /** The polls and the timers of an outbox have then all run at least once. */
    private static final Duration SHORTEST = Duration.ofSeconds(10);

    private static final String STATEMENTS = """
            SELECT COALESCE(sum(calls), 0)::bigint FROM pg_stat_statements
            WHERE query !~* '^(begin|commit|rollback|prepare|set|show|select pg_wal_lsn_diff)|pg_stat_'""";

    /** Measures a block in which nothing happens. */
    static Idle measure(Form form, PostgresServer database, Supplier<Duration> cpu) throws InterruptedException {
        Duration time = form.block().compareTo(SHORTEST) < 0 ? SHORTEST : form.block();
        double seconds = time.toMillis() / 1000.0;
        number(database, "SELECT count(pg_stat_statements_reset())");
        long written = wal(database);
        Duration busy = cpu.get();
        long committed = commits(database);
        Thread.sleep(time.toMillis());
        double commits = (commits(database) - committed) / seconds;
        double percent = 100.0 * cpu.get().minus(busy).toMillis() / time.toMillis();
        double bytes = (wal(database) - written) / seconds;
        return new Idle(number(database, STATEMENTS) / seconds, commits, percent, bytes);
    }

    /** The median of a figure, with its interval. */
    static Interval interval(List<Idle> idle, ToDoubleFunction<Idle> figure) {
        return Interval.of(idle.stream().mapToDouble(figure).toArray());
    }

    /** The place in the log of PostgreSQL, in bytes. */
    static long wal(PostgresServer database) {
        return number(database, "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::bigint");
    }

    private static long commits(PostgresServer database) {
        return number(database, "SELECT xact_commit + xact_rollback FROM pg_stat_database WHERE datname = 'postgres'");
    }

    private static long number(PostgresServer database, String sql) {
        return Long.parseLong(database.query(sql).get(0));
    }
}
