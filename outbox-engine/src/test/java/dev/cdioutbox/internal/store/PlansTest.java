package dev.cdioutbox.internal.store;

import java.util.List;

import org.junit.jupiter.params.ParameterizedClass;

/**
 * Guards the plans with a hundred thousand published messages, and ten thousand each of blocked, failed, delayed and
 * paused ones.
 */
@ParameterizedClass(name = "{0}")
@EachDatabase
class PlansTest extends PlansContract {
    PlansTest(Database kind) {
        super(kind);
    }

    @Override
    List<Integer> many() {
        return List.of(100_000);
    }
}
