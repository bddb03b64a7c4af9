package dev.cdioutbox.internal.store;

import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Five million published messages, and a million each of blocked, failed, delayed and paused ones. {@code mvn test -Plong -pl
 * outbox-cdi -Dtest=LongPlansTest}
 */
@Tag("long")
@ParameterizedClass(name = "{0}")
@EnumSource(
        value = Database.class,
        names = {"POSTGRESQL", "MARIADB"})
class LongPlansTest extends PlansContract {
    private final Database kind;

    LongPlansTest(Database kind) {
        super(kind);
        this.kind = kind;
    }

    @Override
    int many() {
        return 5_000_000;
    }

    @Override
    int waiting(int published) {
        return published == FEW ? FEW / 10 : 1_000_000;
    }

    @Override
    TestDatabase fresh() {
        return new TestDatabase(kind);
    }

    @Override
    void report(Map<String, Explained> few, Map<String, Explained> many) {
        many.forEach((name, plan) -> System.out.printf(
                "| %s | %s | %d | %d |%n", kind, name, few.get(name).reads(), plan.reads()));
    }
}
