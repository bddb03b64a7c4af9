package dev.cdioutbox.internal.store;

import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** What the store promises, on every database on which it is tested, and in tables not named as by default. */
@ParameterizedClass(name = "{0}")
@EnumSource(Database.class)
abstract class StoreContract {
    @AutoClose
    final TestDatabase database;

    StoreContract(Database kind) {
        database = new TestDatabase(kind);
    }
}
