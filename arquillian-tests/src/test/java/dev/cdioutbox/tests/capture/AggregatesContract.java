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
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The events that an entity collects are stored if and only if its row is, with each provider. */
@ExtendWith(ArquillianExtension.class)
abstract class AggregatesContract {
    private static final String UNCHANGED = "unchanged";

    @Inject
    Desk desk;

    final String id = UUID.randomUUID().toString();

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

    @Test
    void eventsOfADetachedEntityAreStoredWithTheMergedCopy() {
        persisted();
        Basket detached = loaded();
        inTransaction(entities -> {
            detached.add("before the merge");
            entities.merge(detached).add("after the merge");
        });

        assertStored("made", "before the merge", "after the merge");
        assertThat(items()).isEqualTo(3);
        inTransaction(entities -> entities.merge(detached.add("merged again")).add("later"));
        assertStored("made", "before the merge", "after the merge", "merged again", "later");
    }

    @Test
    void eventsOfANewEntityAreStoredWithTheMergedCopy() {
        inTransaction(entities -> entities.merge(new Basket(id).add("made")).add("changed"));

        assertStored("made", "changed");
        assertThat(items()).isEqualTo(2);
    }

    @Test
    void eventsOfEachCopyAreStoredInTheOrderOfTheCopies() {
        persisted();
        Basket detached = loaded();
        inTransaction(entities -> {
            find(entities).add("managed");
            detached.add("detached");
            entities.merge(detached);
        });

        assertStored("made", "managed", "detached");
    }

    @Test
    void detachedEntityThatIsNotMergedRollsBack() {
        persisted();
        Basket detached = loaded();
        assertRefused(() -> inTransaction(entities -> detached.add("not merged")));
        String other = UUID.randomUUID().toString();
        assertRefused(() -> inTransaction(entities -> {
            entities.persist(new Basket(other).add("another row"));
            loaded().add("not merged either");
        }));

        assertStored("made");
        assertThat(desk.stored().tokens(other)).isEmpty();
    }

    @Test
    void changeAfterTheMergeRollsBackUnlessItIsMergedToo() {
        persisted();
        Basket detached = loaded();
        assertRefused(() -> inTransaction(entities -> {
            entities.merge(detached.add("merged"));
            entities.flush();
            detached.add("not merged");
        }));

        assertStored("made");
    }

    @Test
    void mergeThatChangesNothingRollsBack() {
        persisted();
        Basket detached = loaded();
        assertRefused(() -> inTransaction(entities -> entities.merge(detached.tell(UNCHANGED))));

        assertStored("made");
    }

    /** Also of one that is merged or persisted later: no transaction could tell whether it is. */
    @Test
    void eventOutsideOfATransactionIsRefused() {
        assertThatThrownBy(() -> desk.ejb().notSupported(() -> new Basket(id).add("too early")))
                .hasStackTraceContaining("OBX-0124");
    }

    /** docs/capture.md says so: the later transaction does not see the detached instance. */
    @Test
    void eventsOfADetachedEntityAreLostInTheTransactionAfterARollback() {
        persisted();
        Basket detached = loaded();
        assertThatThrownBy(() -> inTransaction(entities -> {
                    detached.add("lost");
                    throw new IllegalStateException("business failed");
                }))
                .isInstanceOf(RuntimeException.class);
        inTransaction(entities -> entities.merge(detached));

        assertThat(items()).isEqualTo(2);
        assertStored("made");
    }

    @Test
    void entityThatWasLoadedBeforeTheTransactionIsWrittenOrRollsBack() {
        persisted();
        try (EntityManager extended =
                desk.entities().getEntityManagerFactory().createEntityManager(SynchronizationType.UNSYNCHRONIZED)) {
            Basket basket = find(extended);
            desk.ejb().requiresNew(() -> {
                extended.joinTransaction();
                basket.add("with a change");
            });
            assertStored("made", "with a change");

            assertRefused(() -> desk.ejb().requiresNew(() -> {
                extended.joinTransaction();
                basket.tell("without a change");
            }));
            assertStored("made", "with a change");
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

    void inTransaction(Consumer<EntityManager> work) {
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

    void assertStored(String... tokens) {
        assertThat(desk.stored().tokens(id)).containsExactly(tokens);
    }

    static void assertRefused(ThrowingCallable work) {
        assertThatThrownBy(work).hasStackTraceContaining("OBX-0117");
    }
}
