package dev.cdioutbox.internal.store;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * How many rows a driver fetches at a time, with their payloads: no more than a batch has room for, as far as the rows before tell.
 * It begins with few and takes twice as many each time. Belongs to one claim.
 */
final class FetchSize {
    private static final int MOST = 50;
    private static final int FIRST = 2;

    private final long room;
    private long largest = 1;
    private int size = FIRST;
    private int seen;

    /**
     * @param room the bytes of a batch
     */
    FetchSize(long room) {
        this.room = room;
    }

    void begin(Statement select) throws SQLException {
        select.setFetchSize(size);
    }

    /** A row was read; the next ones are as large as the largest so far, for all that is known. */
    void next(ResultSet rows, int bytes) throws SQLException {
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
