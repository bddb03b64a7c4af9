package dev.cdioutbox.internal.store;

import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Guards the plans with five million published messages, and a million each of blocked, failed, delayed and paused
 * ones. {@code mvn test -Plong -pl outbox-engine -Dtest=LongPlansTest}
 */
@Tag("long")
@ParameterizedClass(name = "{0}", allowZeroInvocations = true)
@EachDatabase({Database.POSTGRESQL, Database.MARIADB})
class LongPlansTest extends PlansContract {
    private final Database kind;

    LongPlansTest(Database kind) {
        super(kind);
        this.kind = kind;
    }

    @Override
    List<Integer> many() {
        return List.of(1_000_000, 5_000_000);
    }

    @Override
    int waiting(int published) {
        return published / 5;
    }

    @Override
    void report(int published, Map<String, Explained> plans) {
        plans.forEach(
                (name, plan) -> System.out.printf("| %s | %d | %s | %d |%n", kind, published, name, plan.reads()));
    }
}
