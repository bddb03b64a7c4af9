package dev.cdioutbox.internal.capture;

import java.util.function.Supplier;

import dev.cdioutbox.internal.store.jdbc.JdbcOutboxStore;

/** A capture for tests that fire no event, but need an open outbox. */
public final class TestCapture {
    private TestCapture() {}

    /** An outbox whose store is opened when the tables are there. */
    public static OpenOutbox outbox(Supplier<JdbcOutboxStore> opening) {
        return new OpenOutbox("default", null, new Tables("default", opening, Runnable::run, System::nanoTime), null);
    }

    public static Capture idle() {
        return new Capture(null, null, null, null);
    }
}
