package dev.cdioutbox.internal.dispatch.crash;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;

import dev.cdioutbox.internal.store.node.NodeStore;
import dev.cdioutbox.internal.store.node.ThisNode;
import dev.cdioutbox.operate.OutboxNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Guards how node rows distinguish crashed processes from running ones. This process has the id 17, and started ten
 * seconds ago.
 */
class CrashedNodesTest {
    private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");
    private static final Duration UPTIME = Duration.ofSeconds(10);
    private static final ThisNode SELF = new ThisNode("self", "shop", "here", "server", 17, "1.0");
    private static final long RUNNING = 42;

    @ParameterizedTest(name = "{5}")
    @CsvSource({
        "here, server, 99, 600, 15, true, the process is gone",
        "here, server, 99, 600, 9, false, a container of the same name was seen since this process began",
        "here, server, 42, 600, 15, false, the process runs",
        "here, server, 42, 600, 31, true, its id was given to another process",
        "here, server, 17, 600, 15, true, a container's process has the id of the one before",
        "here, server, 17, 600, 9, false, its twin was seen since this process began",
        "here, server, 17, 9, 1, false, another application of this very process",
        "here, server, 17, 9, 8, false, one that was stopped when the database was away",
        "here, other, 99, 600, 15, false, another server",
        "there, server, 99, 600, 29, false, of another machine only silence tells",
        "there, server, 99, 600, 30, true, and it tells"
    })
    void crashedNodesAreDistinguishedFromLivingOnes(
            String host, String server, long process, int startedBefore, int silent, boolean dead, String why) {
        assertThat(lastCrash(row(host, server, process, startedBefore, silent)))
                .as(why)
                .isEqualTo(dead ? NOW.minusSeconds(silent).plus(OutboxNode.DEAD_AFTER) : null);
    }

    @Test
    void nodeDoesNotConsiderItselfCrashed() {
        assertThat(lastCrash(self())).isNull();
    }

    @Test
    void lastOfSeveralCrashesCounts() {
        assertThat(lastCrash(row("there", "server", 97, 600, 50), row("here", "server", 99, 600, 11)))
                .isEqualTo(NOW.minusSeconds(11).plus(OutboxNode.DEAD_AFTER));
    }

    @Test
    void messagesStoredSinceThisProcessStartedWereInNoOtherOne() {
        assertThat(lastCrash(row("here", "server", 99, 600, 11), self())).isEqualTo(NOW.minusSeconds(5));
    }

    private static Instant lastCrash(OutboxNode... nodes) {
        List<OutboxNode> rows = List.of(nodes);
        return CrashedNodes.among(rows, SELF, process -> process == RUNNING, UPTIME)
                .last();
    }

    private static OutboxNode self() {
        return new NodeStore.Row(
                "self", "shop", "here", "server", 17, "1.0", NOW.minusSeconds(5), NOW, Duration.ofHours(1), 0);
    }

    private static OutboxNode row(String host, String server, long process, int startedBefore, int silent) {
        return new NodeStore.Row(
                "node-" + process,
                "shop",
                host,
                server,
                process,
                "1.0",
                NOW.minusSeconds(startedBefore),
                NOW.minusSeconds(silent),
                Duration.ofSeconds(silent),
                0);
    }
}
