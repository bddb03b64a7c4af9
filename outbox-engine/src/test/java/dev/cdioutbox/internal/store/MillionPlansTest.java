package dev.cdioutbox.internal.store;

import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;

/**
 * Guards the plans with a million published messages, and a hundred thousand each of blocked, failed, delayed and
 * paused ones.
 */
@Tag("full")
@ParameterizedClass(name = "{0}")
@EachDatabase
@Timeout(value = 20, unit = TimeUnit.MINUTES)
class MillionPlansTest extends PlansContract {
    private final Database kind;

    MillionPlansTest(Database kind) {
        super(kind);
        this.kind = kind;
    }

    /** H2 needs a minute to insert a million rows. */
    @Override
    List<Integer> many() {
        return List.of(kind == Database.H2 ? 200_000 : 1_000_000);
    }
}
