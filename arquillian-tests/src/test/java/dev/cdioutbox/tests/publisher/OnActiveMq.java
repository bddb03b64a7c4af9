package dev.cdioutbox.tests.publisher;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.PublishException.Blame;

/** ActiveMQ takes any priority, and says so if a message is too large for it. */
class OnActiveMq extends JmsPublisherContract {
    private static final int TOO_LARGE = 3 << 20;

    OnActiveMq() {
        super("jms/activemq");
    }

    @Override
    protected OutboxMessage refused(OutboxMessage message) {
        return withText(message, "x".repeat(TOO_LARGE));
    }

    @Override
    protected Blame blameOfRefused() {
        return Blame.MESSAGE;
    }
}
