package dev.cdioutbox.internal.store;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedClass;

/** What the store promises, on every database on which it is tested, and in tables not named as by default. */
@ParameterizedClass(name = "{0}")
@EachDatabase
public abstract class StoreContract {
    @AutoClose
    public final TestDatabase database;

    public StoreContract(Database kind) {
        database = new TestDatabase(kind);
    }
}
