package dev.cdioutbox.internal.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;

/** Lets delayed messages whose time has come into their partitions; claims that begin above a floor are told of them. */
final class Promotion {
    private final Statements sql;
    private final FloorKeeper floors;

    Promotion(Statements sql, FloorKeeper floors) {
        this.sql = sql;
        this.floors = floors;
    }

    /** Commits; tells whether there may be more. */
    boolean promote(OwnTransaction transaction, int delayed) throws SQLException {
        boolean tells = sql.dialect().tellsWriters();
        String statement = tells ? sql.promote + " RETURNING seq, queue_id" : sql.promote;
        Map<Long, Long> moved = new LinkedHashMap<>();
        int count;
        try (PreparedStatement update = transaction.connection().prepareStatement(statement)) {
            for (int parameter = 1; parameter <= sql.promoteParameters; parameter++) {
                update.setInt(parameter, delayed);
            }
            count = tells ? read(update, moved) : update.executeUpdate();
        }
        transaction.commit();
        moved.forEach((sequence, queue) -> floors.floors().putBack(queue, sequence));
        return count == Statements.PROMOTED_AT_ONCE;
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
