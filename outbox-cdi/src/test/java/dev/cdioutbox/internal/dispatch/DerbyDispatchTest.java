package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.internal.store.DerbyDatabase;
import dev.cdioutbox.internal.store.TestDatabase;
import org.junit.jupiter.api.Tag;

/**
 * Guards the whole life of messages on Derby, which cannot skip locked rows: claims are leases, and statements wait for
 * locked rows.
 */
@Tag("database")
@Tag("full")
class DerbyDispatchTest extends WholeLifeContract {

    DerbyDispatchTest() {
        super(new DerbyDatabase(), TestDatabase.PREFIX, "lease");
    }
}
