package dev.cdioutbox.tests.publisher;

/** Artemis has an address with little room. */
class OnArtemis extends JmsPublisherContract {

    OnArtemis() {
        super("jms/artemis");
    }

    @Override
    protected String fullDestination() {
        fill("jms/brimful");
        return "brimful";
    }
}
