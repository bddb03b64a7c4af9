package dev.cdioutbox.internal.store;

import java.util.List;

import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** With a million published messages, and a hundred thousand each of blocked, failed, delayed and paused ones. */
@ParameterizedClass(name = "{0}")
@EnumSource(Database.class)
class PlansTest extends PlansContract {
    private final Database kind;

    PlansTest(Database kind) {
        super(kind);
        this.kind = kind;
    }

    /** H2 takes a minute for a million. */
    @Override
    List<Integer> many() {
        return List.of(kind == Database.H2 ? 200_000 : 1_000_000);
    }
}
