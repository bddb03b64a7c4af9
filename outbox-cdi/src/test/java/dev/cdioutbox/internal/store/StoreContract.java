package dev.cdioutbox.internal.store;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedClass;

/** What the store promises, on every database on which it is tested, and in tables not named as by default. */
@ParameterizedClass(name = "{0}")
@EachDatabase
abstract class StoreContract {
    @AutoClose
    final TestDatabase database;

    StoreContract(Database kind) {
        database = new TestDatabase(kind);
    }
}
