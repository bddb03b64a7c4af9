package dev.cdioutbox.jms.internal.consume;

import dev.cdioutbox.internal.consume.PlainInbox;
import dev.cdioutbox.internal.outbox.Outboxes;

/** Reads JMS messages for {@link PlainInbox}. */
public final class PlainJmsInbox extends JmsInbox {
    public PlainJmsInbox(Outboxes outboxes) {
        inbox = new PlainInbox(outboxes);
        events = new JmsReceivedEvents();
    }
}
