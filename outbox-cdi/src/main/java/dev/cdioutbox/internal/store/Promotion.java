package dev.cdioutbox.internal.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Lets delayed messages whose time has come into their partitions; claims that begin above a floor are told of them. */
final class Promotion {
    /** Where the database cannot pass by what others hold; then it is tried again later. */
    private static final int TIMEOUT_SECONDS = 2;

    private final PromotionStatements sql;
    private final boolean knowsFloors;
    private final FloorKeeper keeper;

    Promotion(String prefix, Dialect dialect, FloorKeeper keeper) {
        this.knowsFloors = dialect.tellsWriters();
        this.sql = new PromotionStatements(prefix, dialect, knowsFloors);
        this.keeper = keeper;
    }

    /** Commits; tells whether there may be more. */
    boolean promote(OwnTransaction transaction, int delayed) throws SQLException {
        Floors floors = keeper.floors();
        Map<Long, Long> moved = new LinkedHashMap<>();
        int count;
        try (PreparedStatement update = transaction.connection().prepareStatement(sql.promote)) {
            update.setQueryTimeout(TIMEOUT_SECONDS);
            for (int parameter = 1; parameter <= sql.queues; parameter++) {
                update.setInt(parameter, delayed);
            }
            if (knowsFloors) {
                update.setString(sql.queues + 1, floors.dueAfter(delayed));
            }
            count = knowsFloors ? read(update, moved) : update.executeUpdate();
        }
        transaction.commit();
        moved.forEach((sequence, queue) -> keeper.floors().putBack(queue, sequence));
        return count == PromotionStatements.AT_ONCE;
    }

    private static int read(PreparedStatement update, Map<Long, Long> moved) throws SQLException {
        try (ResultSet rows = update.executeQuery()) {
            while (rows.next()) {
                moved.put(rows.getLong(1), rows.getLong(2));
            }
        }
        return moved.size();
    }
}
