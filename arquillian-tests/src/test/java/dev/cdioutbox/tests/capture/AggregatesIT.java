package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.SynchronizationType;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * The events that an entity collects are stored if and only if its row is, with EclipseLink's weaving and shared cache.
 */
@ExtendWith(ArquillianExtension.class)
class AggregatesIT {
    private static final String UNCHANGED = "unchanged";

    @Inject
    Desk desk;

    private final String id = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.ours("jdbc/counted");
    }

    @Test
    void eventsOfAllThatHappensToAnEntityAreStored() {
        persisted();
        change(basket -> basket.add("changed").add("changed again"));
        inTransaction(entities -> entities.remove(find(entities).tell("removed")));
        assertStored("made", "changed", "changed again", "removed");
    }

    @Test
    void eventsOfEachFlushAreStoredOnce() {
        inTransaction(entities -> {
            Basket basket = new Basket(id).add("first");
            entities.persist(basket);
            entities.flush();
            basket.add("second");
            entities.flush();
            basket.add("third");
        });
        assertStored("first", "second", "third");
    }

    @Test
    void entityThatIsMadeAndRemovedInOneTransactionLeavesNothingUnsaid() {
        assertRefused(() -> inTransaction(entities -> {
            Basket basket = new Basket(id).add("made");
            entities.persist(basket);
            entities.remove(basket);
        }));
        assertStored();
    }

    @Test
    void eventsOfARolledBackTransactionAreForgotten() {
        persisted();
        assertThatThrownBy(() -> change(basket -> {
                    basket.add("in vain");
                    throw new IllegalStateException("business failed");
                }))
                .isInstanceOf(RuntimeException.class);
        change(basket -> basket.add("after it"));
        assertStored("made", "after it");
    }

    @Test
    void eventOfAFlushThatIsRolledBackIsForgotten() {
        persisted();
        assertThatThrownBy(() -> inTransaction(entities -> {
                    find(entities).add("in vain");
                    entities.flush();
                    throw new IllegalStateException("business failed");
                }))
                .isInstanceOf(RuntimeException.class);
        assertStored("made");
    }

    @Test
    void eventWithoutAChangeRollsBack() {
        persisted();
        assertRefused(() -> change(basket -> basket.tell(UNCHANGED)));
        assertStored("made");
        evict();
        assertRefused(() -> change(basket -> basket.tell(UNCHANGED)));
        assertStored("made");
    }

    @Test
    void eventAfterTheLastChangeRollsBack() {
        persisted();
        assertRefused(() -> inTransaction(entities -> {
            Basket basket = find(entities).add("changed");
            entities.flush();
            basket.tell(UNCHANGED);
        }));
        assertStored("made");
    }

    @Test
    void changeThatIsTakenAwayFromTheEntityManagerRollsBack() {
        persisted();
        assertRefused(() -> inTransaction(entities -> {
            find(entities).add("cleared");
            entities.clear();
        }));
        assertRefused(
                () -> inTransaction(entities -> entities.detach(find(entities).add("detached"))));
        assertRefused(
                () -> inTransaction(entities -> entities.refresh(find(entities).add("refreshed"))));
        assertStored("made");
        assertThat(items()).isEqualTo(1);
    }

    /** The row "goes through merge()" of the table in docs/capture.md, and the way that it recommends. */
    @Test
    void eventsOfADetachedEntityAreLostInAMergeAsTheDocumentSays() {
        persisted();
        Basket detached = loaded();
        detached.add("lost");
        inTransaction(entities -> entities.merge(detached).add("after the merge"));

        assertThat(items()).as("the change before the merge is not lost").isEqualTo(3);
        assertStored("made", "after the merge");
    }

    /** The rows "loaded before the transaction" of the table in docs/capture.md. */
    @Test
    void eventsOfAnEntityThatWasLoadedBeforeTheTransactionWaitForItsWriteAsTheDocumentSays() {
        persisted();
        try (EntityManager extended =
                desk.entities().getEntityManagerFactory().createEntityManager(SynchronizationType.UNSYNCHRONIZED)) {
            Basket basket = find(extended);
            desk.ejb().requiresNew(() -> {
                extended.joinTransaction();
                basket.tell("without a change");
            });
            assertStored("made");

            desk.ejb().requiresNew(() -> {
                extended.joinTransaction();
                basket.add("with a change");
            });
            assertStored("made", "without a change", "with a change");
        }
    }

    @Test
    void twoTransactionsOnACachedEntityKeepTheirEventsApart() {
        persisted();
        inTransaction(outer -> {
            find(outer).add("outer");
            inTransaction(inner -> find(inner).add("inner"));
        });
        assertStored("made", "inner", "outer");
        assertThatThrownBy(() -> inTransaction(outer -> {
                    find(outer).add("in vain");
                    inTransaction(inner -> find(inner).add("inner again"));
                    throw new IllegalStateException("business failed");
                }))
                .isInstanceOf(RuntimeException.class);
        assertStored("made", "inner", "outer", "inner again");
    }

    private void persisted() {
        inTransaction(entities -> entities.persist(new Basket(id).add("made")));
    }

    /** An entity whose transaction has ended. */
    private Basket loaded() {
        AtomicReference<Basket> found = new AtomicReference<>();
        change(found::set);
        return found.get();
    }

    private void change(Consumer<Basket> change) {
        inTransaction(entities -> change.accept(find(entities)));
    }

    private Basket find(EntityManager entities) {
        return entities.find(Basket.class, id);
    }

    private void inTransaction(Consumer<EntityManager> work) {
        desk.ejb().requiresNew(() -> work.accept(desk.entities()));
    }

    private int items() {
        evict();
        int[] items = new int[1];
        change(basket -> items[0] = basket.items());
        return items[0];
    }

    private void evict() {
        desk.entities().getEntityManagerFactory().getCache().evictAll();
    }

    private void assertStored(String... tokens) {
        assertThat(desk.stored().tokens(id)).containsExactly(tokens);
    }

    private static void assertRefused(ThrowingCallable work) {
        assertThatThrownBy(work).hasStackTraceContaining("OBX-0117");
    }
}
