package dev.cdioutbox.internal.store;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedClass;

/** Base of the tests that run on each selected database, with a table prefix that is not the default. */
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@EachDatabase
public abstract class StoreContract {
    @AutoClose
    public final TestDatabase database;

    public StoreContract(Database kind) {
        database = new TestDatabase(kind);
    }
}
