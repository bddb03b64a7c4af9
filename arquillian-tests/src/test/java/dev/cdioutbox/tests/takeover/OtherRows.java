package dev.cdioutbox.tests.takeover;

import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;

import com.gruelbox.transactionoutbox.InvocationSerializer;
import dev.cdioutbox.tests.rollout.Sold;

/** The rows of other libraries. */
final class OtherRows {
    private static final Jsonb JSON = JsonbBuilder.create();

    static final InvocationSerializer CALLS = InvocationSerializer.createDefaultJsonSerializer();

    static final OldRows GRUELBOX = new OldRows(
            "SELECT id, invocation FROM txno_outbox WHERE processed = FALSE ORDER BY topic, seq FOR UPDATE",
            "DELETE FROM txno_outbox WHERE id = ?",
            row -> {
                Object[] sold = CALLS.deserializeInvocation(row.getCharacterStream("invocation"))
                        .getArgs();
                return new Sold((String) sold[0], (int) sold[1], (String) sold[2]);
            });

    static final OldRows MODULITH = new OldRows(
            "SELECT id, serialized_event FROM event_publication WHERE completion_date IS NULL"
                    + " AND listener_id = 'com.acme.Stock.on(com.acme.Sold)' ORDER BY publication_date FOR UPDATE",
            "DELETE FROM event_publication WHERE id = ?",
            row -> JSON.fromJson(row.getString("serialized_event"), Sold.class));

    private OtherRows() {}
}
