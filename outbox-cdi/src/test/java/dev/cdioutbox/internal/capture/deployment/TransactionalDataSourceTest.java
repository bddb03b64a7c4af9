package dev.cdioutbox.internal.capture.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;

import jakarta.transaction.NotSupportedException;
import jakarta.transaction.UserTransaction;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.store.OutboxStore;
import dev.cdioutbox.internal.store.ThisNode;
import org.junit.jupiter.api.Test;

/** Guards that a DataSource that takes no part in JTA transactions fails the start. */
class TransactionalDataSourceTest {
    private final Set<String> rows = new HashSet<>();
    private boolean transactional = true;
    private boolean active;
    private Exception failure;

    @Test
    void rowThatWentWithItsTransactionIsWell() {
        check();

        assertThat(rows).isEmpty();
        assertThat(active).isFalse();
    }

    @Test
    void rowThatOutlivesItsRollbackIsRefusedAndTakenAway() {
        transactional = false;

        assertThatThrownBy(this::check)
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0208: the DataSource jdbc/shop (key outbox.datasource)")
                .hasMessageContaining("transactional=\"false\"");
        assertThat(rows).isEmpty();
    }

    @Test
    void failureOfTheWriteLeavesNoTransactionBehind() {
        failure = new IllegalStateException("no table");

        assertThatThrownBy(this::check).isSameAs(failure);
        assertThat(active).isFalse();
    }

    @Test
    void platformThatBeginsNoTransactionIsExplained() {
        failure = new NotSupportedException("nested");

        assertThatThrownBy(this::check)
                .hasMessageStartingWith("OBX-0302: trying a transaction on jdbc/shop failed: nested");
    }

    private void check() {
        DataSourceCheck.requireTransactions(
                fake(OutboxStore.class, this::store),
                fake(UserTransaction.class, this::transaction),
                "outbox.datasource",
                "jdbc/shop");
    }

    private Object store(String method, Object[] arguments) throws Exception {
        if (method.equals("deleteNode")) {
            assertThat(active).as("a look from outside of the transaction").isFalse();
            return rows.remove(arguments[0]);
        }
        assertThat(active).as("a write in the transaction").isTrue();
        if (failure != null) {
            throw failure;
        }
        rows.add(((ThisNode) arguments[0]).id());
        return null;
    }

    private Object transaction(String method, Object[] arguments) throws Exception {
        if (method.equals("begin") && failure instanceof NotSupportedException refused) {
            throw refused;
        }
        active = method.equals("begin");
        if (!active && transactional) {
            rows.clear();
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
        Object on(String method, Object[] arguments) throws Exception;
    }
}
