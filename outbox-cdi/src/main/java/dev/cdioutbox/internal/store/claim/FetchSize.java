package dev.cdioutbox.internal.store.claim;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * Adapts the fetch size of a query to the row size, so that a driver loads no more payloads than fit into a batch. The
 * fetch size begins with few rows and grows fourfold. Belongs to one claim.
 */
final class FetchSize {
    /** In rows: a batch of 500 small messages takes seven fetches, each of which is a round trip. */
    private static final int MOST = 100;

    /** In rows: without knowing any size, no more than these may be large. */
    private static final int FIRST = 8;

    private static final int GROWTH = 4;

    private final long room;
    private long largest = 1;
    private int size = FIRST;
    private int seen;

    /** @param room the limit of a batch in bytes */
    FetchSize(long room) {
        this.room = room;
    }

    void begin(Statement select) throws SQLException {
        select.setFetchSize(size);
    }

    /** Sets the size after each row. Assumes that the next rows are as large as the largest one so far. */
    void next(ResultSet rows, int bytes) throws SQLException {
        seen++;
        largest = Math.max(largest, bytes);
        int fits = (int) Math.max(1, Math.min(MOST, room / largest));
        int now = Math.min(fits, Math.max(FIRST, GROWTH * Integer.highestOneBit(seen)));
        if (now != size) {
            size = now;
            rows.setFetchSize(size);
        }
    }
}
