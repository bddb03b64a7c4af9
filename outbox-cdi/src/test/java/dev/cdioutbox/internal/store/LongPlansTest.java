package dev.cdioutbox.internal.store;

import org.junit.jupiter.api.Tag;

/**
 * Five million published messages, and a million each that are delayed, given up, and waiting for a destination that is
 * paused. {@code mvn verify -Plong}
 */
@Tag("long")
class LongPlansTest extends PlansTest {
    private static final int MILLION = 1_000_000;

    private final Database kind;

    LongPlansTest(Database kind) {
        super(kind);
        this.kind = kind;
    }

    @Override
    TestDatabase fresh() {
        return new TestDatabase(kind);
    }

    @Override
    int many() {
        return 5 * MILLION;
    }

    @Override
    void fillMore(TestDatabase database, int queue) {
        long delayed = id(database, "destination = 'default' AND partition_no = -1");
        long paused = id(database, "destination = 'audit' AND partition_no = 0");
        fill(database, MILLION, 10L * MILLION, "'PENDING'", String.valueOf(delayed));
        fill(database, MILLION, 20L * MILLION, "'ABANDONED'", String.valueOf(-queue));
        fill(database, MILLION, 30L * MILLION, "'PENDING'", String.valueOf(paused));
        database.update("UPDATE shop_message SET available_at = CURRENT_TIMESTAMP WHERE queue_id = ?", delayed);
        database.update("UPDATE shop_control SET paused = 1 WHERE destination = 'audit'");
    }

    private static long id(TestDatabase database, String which) {
        return Long.parseLong(
                database.query("SELECT id FROM shop_partition WHERE " + which).get(0));
    }
}
