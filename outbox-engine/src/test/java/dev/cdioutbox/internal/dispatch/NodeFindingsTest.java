package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.config.TestConfig;
import dev.cdioutbox.internal.store.node.NodeStore;
import dev.cdioutbox.internal.store.node.PreparedTransactions;
import dev.cdioutbox.operate.OutboxNode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards what is wrong with the nodes of an outbox: each column is one node, as module, version, and silent seconds. */
class NodeFindingsTest {

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            delimiter = ';',
            value = {
                "-;-;-;''",
                "shop 1.0 0;-;-;''",
                "shop 1.0 0;shop 1.0 0;-;''",
                "shop 1.0 0;billing 1.0 0;-;OBX-0220",
                "shop 1.0 0;billing 1.0 31;-;''",
                "shop 1.0 0;shop 1.1 0;-;OBX-0441",
                "shop 1.0 0;shop 1.1 31;-;''",
                "shop 1.0 0;-;2;''",
                "shop 1.0 0;-;1;OBX-0436",
                "shop 1.0 0;-;0;''",
                "shop 1.0 0;shop 1.0 0;3;OBX-0436",
                "shop 1.0 0;shop 1.0 31;3;''",
                "-;-;1;OBX-0436"
            })
    void nodes(String one, String other, Integer limit, String expected) {
        List<Finding> found = NodeFindings.findings(
                TestConfig.of(), "shop", nodes(one, other), limit == null ? null : new PreparedTransactions(limit, 0));

        assertThat(found.stream().map(Finding::code).toList())
                .isEqualTo(expected.isEmpty() ? List.of() : List.of(expected));
    }

    private static List<OutboxNode> nodes(String... texts) {
        return Arrays.stream(texts)
                .filter(text -> text != null)
                .map(NodeFindingsTest::node)
                .toList();
    }

    private static OutboxNode node(String text) {
        String[] values = text.split(" ");
        Instant now = Instant.EPOCH;
        Duration silent = Duration.ofSeconds(Long.parseLong(values[2]));
        return new NodeStore.Row(text, values[0], "host", "server", 1, values[1], now, now, silent, 0);
    }
}
