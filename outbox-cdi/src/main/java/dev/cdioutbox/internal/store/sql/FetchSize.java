package dev.cdioutbox.internal.store.sql;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Adapts the fetch size of a query to the size of the rows, so that a driver does not load more payloads than fit into
 * a batch. Begins with few rows and doubles. Belongs to one claim.
 */
public final class FetchSize {
    private static final int MOST = 50;
    private static final int FIRST = 2;

    private final long room;
    private long largest = 1;
    private int size = FIRST;
    private int seen;

    /**
     * @param room the bytes of a batch
     */
    public FetchSize(long room) {
        this.room = room;
    }

    public void begin(Statement select) throws SQLException {
        select.setFetchSize(size);
    }

    /** After each row: assumes that the next rows are as large as the largest one so far. */
    public void next(ResultSet rows, int bytes) throws SQLException {
        seen++;
        largest = Math.max(largest, bytes);
        int fits = (int) Math.max(1, Math.min(MOST, room / largest));
        int now = Math.min(fits, Math.max(FIRST, 2 * Integer.highestOneBit(seen)));
        if (now != size) {
            size = now;
            rows.setFetchSize(size);
        }
    }
}
