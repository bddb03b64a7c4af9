package dev.cdioutbox.internal.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.HashSet;
import java.util.Set;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.store.node.NodeStore;
import dev.cdioutbox.internal.store.node.ThisNode;
import org.junit.jupiter.api.Test;

/** Guards that the dispatcher's own DataSource must lead to the tables into which events are stored. */
class SameTablesTest {
    private final Set<Object> rows = new HashSet<>();
    private final NodeStore capturing = store(rows, null);

    @Test
    void sameTablesAreWellAndStayEmpty() {
        DataSourceCheck.requireSameTables(capturing, store(rows, null), "jdbc/beside");

        assertThat(rows).isEmpty();
    }

    @Test
    void tablesOfTheSameNamesElsewhereAreRefused() {
        assertThatThrownBy(
                        () -> DataSourceCheck.requireSameTables(capturing, store(new HashSet<>(), null), "jdbc/beside"))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0215: the DataSource jdbc/beside")
                .hasNoCause();
        assertThat(rows).isEmpty();
    }

    @Test
    void noTablesElsewhereAreRefusedWithTheCause() {
        OutboxException none = new OutboxException("OBX-0302", "no such table", null);

        assertThatThrownBy(() -> DataSourceCheck.requireSameTables(capturing, store(rows, none), "jdbc/beside"))
                .hasMessageStartingWith("OBX-0215: the DataSource jdbc/beside")
                .hasCause(none);
        assertThat(rows).isEmpty();
    }

    private static NodeStore store(Set<Object> rows, OutboxException failure) {
        return (NodeStore) Proxy.newProxyInstance(
                SameTablesTest.class.getClassLoader(), new Class<?>[] {NodeStore.class}, (proxy, method, arguments) -> {
                    if (failure != null) {
                        throw failure;
                    }
                    return method.getName().equals("delete")
                            ? rows.remove(arguments[0])
                            : addTo(rows, (ThisNode) arguments[0]);
                });
    }

    private static Object addTo(Set<Object> rows, ThisNode node) {
        rows.add(node.id());
        return null;
    }
}
