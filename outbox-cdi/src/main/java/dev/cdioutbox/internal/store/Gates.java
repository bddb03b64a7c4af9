package dev.cdioutbox.internal.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Reads gates and puts them in order. To be called under the lock of their partitions. It waits for nobody: what a delivery
 * or an operator holds at this moment stays as it is until the next claim.
 */
final class Gates {
    /** So many gates are served by one claim. */
    private static final int SERVED_AT_ONCE = 64;

    private final Turns turns = new Turns();
    private final GateStatements sql;
    private final Dialect dialect;

    Gates(GateStatements sql, Dialect dialect) {
        this.sql = sql;
        this.dialect = dialect;
    }

    /** How many gates of a partition are served by one claim that has so many with gates that are due. */
    static int ofEach(int partitions) {
        return Math.max(1, SERVED_AT_ONCE / Math.max(1, partitions));
    }

    Turns turns() {
        return turns;
    }

    /**
     * The gates of these partitions that are due longest.
     *
     * @param ofEach so many of each partition
     */
    List<Gate> due(Connection connection, Collection<Integer> partitions, int ofEach, Floors floors)
            throws SQLException {
        List<Gate> due = new ArrayList<>();
        if (partitions.isEmpty()) {
            return due;
        }
        try (PreparedStatement select = connection.prepareStatement(sql.due(partitions.size()))) {
            int parameter = 0;
            for (int partition : partitions) {
                select.setInt(++parameter, partition);
                if (dialect.tellsWriters()) {
                    select.setString(++parameter, floors.dueAfter(partition));
                }
                select.setInt(++parameter, ofEach);
            }
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    due.add(new Gate(rows.getLong(1), rows.getInt(2), dialect.loaded(rows.getString(3))));
                }
            }
        }
        return due;
    }

    /**
     * To be committed before anything is read. Notes where nothing could be moved.
     *
     * @return whether that changed anything
     */
    boolean tend(Connection connection, Tending tending, Floors floors) throws SQLException {
        int changed = 0;
        for (long gate : locked(connection, tending.empty)) {
            // Looked at again, now that whoever put something behind it has ended.
            changed += update(connection, sql.remove, gate);
        }
        for (long gate : locked(connection, tending.early)) {
            changed += update(connection, sql.correct, gate);
        }
        for (int partition : tending.crowded) {
            int moved = clear(connection, partition, floors.of(partition));
            if (moved == 0) {
                tending.uncleared.add(partition);
            }
            changed += moved;
        }
        return changed > 0;
    }

    /** Those of these gates that have nothing behind them, without a lock: on its way, a deletion would wait for what is held there. */
    Set<Long> emptied(Connection connection, Set<Long> gates) throws SQLException {
        if (gates.isEmpty()) {
            return Set.of();
        }
        int parameters = Statements.padded(gates.size());
        try (PreparedStatement select = connection.prepareStatement(sql.emptied(parameters))) {
            bind(select, 0, List.copyOf(gates), parameters);
            return numbers(select);
        }
    }

    /** Moves followers behind their gates. The lowest first, so that nothing lower than what is behind a gate is before it. */
    private int clear(Connection connection, int partition, long floor) throws SQLException {
        Map<Long, List<Long>> byGate = new TreeMap<>();
        try (PreparedStatement select = connection.prepareStatement(sql.followers)) {
            select.setInt(1, partition);
            select.setLong(2, floor);
            try (ResultSet rows = select.executeQuery()) {
                while (rows.next()) {
                    byGate.computeIfAbsent(rows.getLong(2), gate -> new ArrayList<>())
                            .add(rows.getLong(1));
                }
            }
        }
        int changed = 0;
        byGate.keySet().retainAll(locked(connection, byGate.keySet()));
        for (Map.Entry<Long, List<Long>> followers : byGate.entrySet()) {
            changed += move(connection, partition, followers.getKey(), followers.getValue());
        }
        return changed;
    }

    private int move(Connection connection, int partition, long gate, List<Long> followers) throws SQLException {
        Set<Long> free = lockedFollowers(connection, partition, followers);
        List<Long> moved = followers.stream().takeWhile(free::contains).toList();
        if (moved.isEmpty()) {
            return 0;
        }
        int parameters = Statements.padded(moved.size());
        try (PreparedStatement update = connection.prepareStatement(sql.move(parameters))) {
            update.setLong(1, gate);
            update.setInt(2, partition);
            bind(update, 2, moved, parameters);
            return update.executeUpdate();
        }
    }

    private Set<Long> lockedFollowers(Connection connection, int partition, List<Long> followers) throws SQLException {
        int parameters = Statements.padded(followers.size());
        try (PreparedStatement select = connection.prepareStatement(sql.lockFollowers(parameters))) {
            select.setInt(1, partition);
            bind(select, 1, followers, parameters);
            return numbers(select);
        }
    }

    /** In the order of their ids. */
    private Set<Long> locked(Connection connection, Set<Long> gates) throws SQLException {
        if (gates.isEmpty()) {
            return Set.of();
        }
        int parameters = Statements.padded(gates.size());
        try (PreparedStatement select = connection.prepareStatement(sql.lock(parameters))) {
            bind(select, 0, List.copyOf(gates), parameters);
            return new TreeSet<>(numbers(select));
        }
    }

    private static int update(Connection connection, String statement, long gate) throws SQLException {
        try (PreparedStatement update = connection.prepareStatement(statement)) {
            update.setLong(1, gate);
            return update.executeUpdate();
        }
    }

    private static void bind(PreparedStatement statement, int after, List<Long> numbers, int parameters)
            throws SQLException {
        for (int i = 0; i < parameters; i++) {
            statement.setLong(after + i + 1, numbers.get(Math.min(i, numbers.size() - 1)));
        }
    }

    private static Set<Long> numbers(PreparedStatement select) throws SQLException {
        Set<Long> numbers = new HashSet<>();
        try (ResultSet rows = select.executeQuery()) {
            while (rows.next()) {
                numbers.add(rows.getLong(1));
            }
        }
        return numbers;
    }
}
