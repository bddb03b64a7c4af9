package dev.cdioutbox.internal.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;

import jakarta.transaction.Status;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.store.node.NodeStore;
import dev.cdioutbox.internal.store.node.ThisNode;
import org.junit.jupiter.api.Test;

/** Guards that a DataSource that takes no part in JTA transactions fails the start. */
class TransactionalDataSourceTest {
    private final Set<String> rows = new HashSet<>();
    private final Set<String> enlisted = new HashSet<>();
    private boolean follows = true;
    private boolean followsBeforeCompletion = true;
    private Synchronization synchronization;
    private boolean completing;
    private boolean rollbackOnly;
    private int status = Status.STATUS_NO_TRANSACTION;
    private RuntimeException failure;

    @Test
    void rowThatWentWithItsTransactionIsWell() {
        check();

        assertThat(rows).isEmpty();
        assertThat(status).isEqualTo(Status.STATUS_NO_TRANSACTION);
    }

    @Test
    void rowThatOutlivesItsRollbackIsRefusedAndTakenAway() {
        follows = false;

        assertThatThrownBy(this::check)
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0208: the DataSource jdbc/shop (key outbox.datasource)")
                .hasMessageContaining("transactional=\"false\"");
        assertThat(rows).isEmpty();
    }

    /** GlassFish gave such a connection to the synchronization that writes the events. */
    @Test
    void connectionThatIsOutsideOfTheTransactionBeforeItsCompletionIsRefused() {
        followsBeforeCompletion = false;

        assertThatThrownBy(this::check).hasMessageStartingWith("OBX-0208: ");
        assertThat(rows).isEmpty();
    }

    @Test
    void failureOfTheWriteLeavesNoTransactionBehind() {
        failure = new IllegalStateException("no table");

        assertThatThrownBy(this::check).isSameAs(failure);
        assertThat(status).isEqualTo(Status.STATUS_NO_TRANSACTION);
    }

    @Test
    void platformThatBeginsNoTransactionIsExplained() {
        assertThatThrownBy(() -> check(work -> {
                    throw new IllegalStateException("nested");
                }))
                .hasMessageStartingWith("OBX-0302: trying a transaction on jdbc/shop failed: nested");
    }

    @Test
    void platformThatDoesNotCallTheSynchronizationIsExplained() {
        assertThatThrownBy(() -> check(Runnable::run))
                .hasMessageStartingWith("OBX-0302: trying a transaction on jdbc/shop failed: its synchronization was");
    }

    private void check() {
        check(this::inNew);
    }

    private void check(Consumer<Runnable> inNew) {
        new TransactionCheck(inNew, fake(TransactionSynchronizationRegistry.class, this::registry))
                .require(fake(NodeStore.class, this::store), "outbox.datasource", "jdbc/shop");
    }

    private void inNew(Runnable work) {
        status = Status.STATUS_ACTIVE;
        work.run();
        completing = true;
        synchronization.beforeCompletion();
        completing = false;
        status = Status.STATUS_NO_TRANSACTION;
        if (rollbackOnly) {
            enlisted.clear();
            throw new IllegalStateException("rolled back");
        }
        rows.addAll(enlisted);
    }

    private Object store(String method, Object[] arguments) {
        if (method.equals("delete")) {
            assertThat(status).as("a look from outside of the transaction").isEqualTo(Status.STATUS_NO_TRANSACTION);
            return rows.remove(arguments[0]);
        }
        assertThat(status).as("a write in the transaction").isEqualTo(Status.STATUS_ACTIVE);
        if (failure != null) {
            throw failure;
        }
        boolean isEnlisted = follows && (followsBeforeCompletion || !completing);
        (isEnlisted ? enlisted : rows).add(((ThisNode) arguments[0]).id());
        return null;
    }

    private Object registry(String method, Object[] arguments) {
        if (method.equals("setRollbackOnly")) {
            rollbackOnly = true;
        } else {
            synchronization = (Synchronization) arguments[0];
        }
        return null;
    }

    private static <T> T fake(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> call.on(method.getName(), arguments)));
    }

    private interface Call {
        Object on(String method, Object[] arguments);
    }
}
