package dev.cdioutbox.internal.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Guards that a timer's call keeps no connection. Liberty keeps a connection that was used outside of a transaction
 * until this call ends, even a closed one. A call that needs a second connection would wait for the pool; if business
 * threads use up the pool, all would wait for ever.
 */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class TimerConnectionsTest {
    @AutoClose
    private final DispatchScene scene = new DispatchScene("outbox.partitions", "1");

    @Test
    void looksKeepNone() {
        keeps(0, scene.dispatcher::refreshBacklog);
    }

    @Test
    void purgeKeepsNone() {
        keeps(0, () -> scene.dispatcher.purge());
    }

    @Test
    void workerKeepsTheConnectionsOfItsClaims() {
        AtomicInteger claims = new AtomicInteger();
        scene.dispatcher.addListener(new DispatchListener() {
            @Override
            public void claimed(DestinationId destination, int partitions, Duration took) {
                claims.incrementAndGet();
            }
        });
        scene.write("a", "1");
        OutboxConfig shadowed =
                DispatchScene.config("outbox.partitions", "1", "outbox.dispatcher.shadow-destination", "discard");

        keeps(2, () -> scene.run(() -> shadowed, () -> false));
        keeps(0, scene::run);
        assertThat(claims).hasValue(2);
    }

    private void keeps(int connections, Runnable work) {
        int before = scene.transactions.keptForTheCaller.get();
        work.run();
        assertThat(scene.transactions.keptForTheCaller.get() - before).isEqualTo(connections);
    }
}
