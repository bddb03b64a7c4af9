package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.internal.store.TestDatabase;
import org.junit.jupiter.api.Tag;

/** Guards the whole life of messages whose claims are leases. */
@Tag("database")
@Tag("full")
class LeasedLifeTest extends WholeLifeContract {

    LeasedLifeTest() {
        super(new TestDatabase().dataSource(), TestDatabase.PREFIX, "lease");
    }
}
