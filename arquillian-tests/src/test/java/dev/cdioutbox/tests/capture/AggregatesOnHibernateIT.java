package dev.cdioutbox.tests.capture;

import java.util.function.Consumer;

import org.hibernate.SessionFactory;
import org.hibernate.StatelessSession;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;

/** With Hibernate in the application, and with its stateless sessions, which its Jakarta Data repositories use. */
class AggregatesOnHibernateIT extends AggregatesContract {

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.onHibernate("jdbc/counted");
    }

    @Test
    void eventsOfAStatelessSessionAreStored() {
        Basket basket = new Basket(id);
        stateless(session -> session.insert(basket.add("made")));
        stateless(session -> session.update(basket.add("changed")));
        stateless(session -> session.delete(basket.tell("removed")));

        assertStored("made", "changed", "removed");
    }

    /** Hibernate calls no listener for it. */
    @Test
    void upsertOfAStatelessSessionRollsBack() {
        assertRefused(() -> stateless(session -> session.upsert(new Basket(id).add("made"))));

        assertStored();
    }

    private void stateless(Consumer<StatelessSession> work) {
        desk.ejb().requiresNew(() -> {
            SessionFactory factory = desk.entities().getEntityManagerFactory().unwrap(SessionFactory.class);
            try (StatelessSession session = factory.openStatelessSession()) {
                work.accept(session);
            }
        });
    }
}
