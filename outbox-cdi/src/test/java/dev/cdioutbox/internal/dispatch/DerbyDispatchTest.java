package dev.cdioutbox.internal.dispatch;

import dev.cdioutbox.internal.store.DerbyDatabase;
import dev.cdioutbox.internal.store.TestDatabase;
import org.junit.jupiter.api.Tag;

/** On Derby, which cannot leave out rows that others hold: claims are leases, and whoever wants a row waits for it. */
@Tag("database")
@Tag("full")
class DerbyDispatchTest extends WholeLifeContract {

    DerbyDispatchTest() {
        super(new DerbyDatabase(), TestDatabase.PREFIX, "lease");
    }
}
