package dev.cdioutbox.tests.rollout;

import java.util.List;

import jakarta.annotation.Resource;
import jakarta.ejb.Schedule;
import jakarta.ejb.Singleton;
import jakarta.inject.Inject;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;

/** A publisher that a team has written by hand: a timer polls a table and sends the rows. */
@Singleton
public class OldPublisher {
    private static final String UNSENT = "SELECT o.nr, o.payload FROM old_outbox o WHERE o.sent = 0";

    /** The condition that docs/rollout.md adds before the cut-over. */
    static final String IF_SHADOWED = " AND EXISTS (SELECT 1 FROM outbox_message_view m"
            + " WHERE m.correlation_id = o.id AND m.shadow_destination IS NOT NULL)";

    private static volatile String select;

    @Inject
    OldTables tables;

    @Inject
    JMSContext jms;

    @Resource(lookup = "jms/rollout")
    Queue queue;

    static void stop() {
        select = null;
    }

    static void sendAll() {
        select = UNSENT;
    }

    static void sendWhatIsShadowed() {
        select = UNSENT + IF_SHADOWED;
    }

    @Schedule(hour = "*", minute = "*", second = "*", persistent = false)
    void poll() {
        String now = select;
        if (now == null) {
            return;
        }
        for (List<String> row : tables.query(now + " ORDER BY o.nr")) {
            jms.createProducer().setProperty("publisher", "old").send(queue, row.get(1));
            tables.update("UPDATE old_outbox SET sent = 1 WHERE nr = ?", row.get(0));
        }
    }
}
