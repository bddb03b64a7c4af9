package dev.cdioutbox.tests.publisher;

import dev.cdioutbox.spi.DestinationId;

/** Artemis has an address with little room. */
class OnArtemis extends JmsPublisherContract {

    OnArtemis() {
        super("jms/artemis");
    }

    @Override
    protected DestinationId fullDestination() {
        fill("jms/brimful");
        return DestinationId.ofDefaultOutbox("brimful");
    }
}
