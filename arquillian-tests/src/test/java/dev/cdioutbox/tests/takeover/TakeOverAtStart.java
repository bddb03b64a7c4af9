package dev.cdioutbox.tests.takeover;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;

import dev.cdioutbox.tests.rollout.Sold;

@ApplicationScoped
public class TakeOverAtStart {
    private static final Jsonb JSON = JsonbBuilder.create();

    static final OldRows OLD_OUTBOX = new OldRows(
            "SELECT nr AS id, payload FROM old_outbox WHERE sent = 0 ORDER BY nr FOR UPDATE",
            "DELETE FROM old_outbox WHERE nr = ?",
            row -> JSON.fromJson(row.getString("payload"), Sold.class));

    @Inject
    private TakeOver takeOver;

    /** Runs before the first request. */
    void run(@Observes @Initialized(ApplicationScoped.class) Object application) throws Exception {
        while (takeOver.next(OLD_OUTBOX) > 0) {
            // Each turn is a transaction.
        }
    }
}
