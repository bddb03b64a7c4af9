package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.UUID;

import jakarta.inject.Inject;

import dev.cdioutbox.tests.capture.data.Baskets;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** The events of entities that a Jakarta Data repository of Liberty writes, whose entities are always detached. */
@ExtendWith(ArquillianExtension.class)
class JakartaDataIT {
    @Inject
    Desk desk;

    @Inject
    Baskets baskets;

    private final String id = UUID.randomUUID().toString();

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.ours("jdbc/counted").addPackage(Baskets.class.getPackage());
    }

    @Test
    void insertedSavedAndMergedEntitiesFireTheirEvents() {
        inTransaction(() -> baskets.insert(new Basket(id).add("inserted")));
        inTransaction(() -> baskets.save(found().add("saved")));
        inTransaction(() -> baskets.merge(found().add("merged")));

        assertStored("inserted", "saved", "merged");
        assertThat(items()).isEqualTo(3);
    }

    @Test
    void newEntityThatIsSavedFiresItsEvents() {
        inTransaction(() -> baskets.save(new Basket(id).add("saved")));
        inTransaction(() -> baskets.saveAll(List.of(found().add("saved again"))));

        assertStored("saved", "saved again");
    }

    @Test
    void markedMethodsFireTheEventsOfTheirStatements() {
        inTransaction(() -> baskets.insert(new Basket(id).add("inserted")));
        inTransaction(() -> baskets.update(found().add("updated")));
        inTransaction(() -> baskets.updateAll(List.of(found().add("updated again"))));
        inTransaction(() -> baskets.remove(found().tell("removed")));

        assertStored("inserted", "updated", "updated again", "removed");
    }

    /** Liberty updates and deletes by statements, for which no entity listener is called. */
    @Test
    void unmarkedMethodsRollBack() {
        inTransaction(() -> baskets.insert(new Basket(id).add("inserted")));
        assertRefused(() -> inTransaction(() -> baskets.updateUnmarked(found().add("updated"))));
        assertRefused(() -> inTransaction(() -> baskets.deleteUnmarked(found().tell("removed"))));

        assertStored("inserted");
        assertThat(items()).isEqualTo(1);
    }

    @Test
    void methodThatFailsFiresNothing() {
        assertThatThrownBy(() -> inTransaction(() -> baskets.update(new Basket(id).add("not there"))))
                .isInstanceOf(RuntimeException.class);

        assertStored();
    }

    private Basket found() {
        return baskets.findById(id).orElseThrow();
    }

    private int items() {
        int[] items = new int[1];
        inTransaction(() -> items[0] = found().items());
        return items[0];
    }

    private void inTransaction(Runnable work) {
        desk.ejb().requiresNew(work);
    }

    private void assertStored(String... tokens) {
        assertThat(desk.stored().tokens(id)).containsExactly(tokens);
    }

    private static void assertRefused(ThrowingCallable work) {
        assertThatThrownBy(work).hasStackTraceContaining("OBX-0117");
    }
}
