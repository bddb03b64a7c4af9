package dev.cdioutbox.tests.capture;

import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;

/** With EclipseLink, its weaving and its shared cache. */
class AggregatesIT extends AggregatesContract {

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.ours("jdbc/counted");
    }

    /** Hibernate writes both statements, and EclipseLink none. */
    @Test
    void entityThatIsMadeAndRemovedInOneTransactionRollsBack() {
        assertRefused(() -> inTransaction(entities -> {
            Basket basket = new Basket(id).add("made");
            entities.persist(basket);
            entities.remove(basket);
        }));
        assertStored();
    }
}
