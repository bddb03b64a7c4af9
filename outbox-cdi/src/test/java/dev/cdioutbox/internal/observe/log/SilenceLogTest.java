package dev.cdioutbox.internal.observe.log;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.dispatch.DispatchScene;
import dev.cdioutbox.internal.dispatch.Dispatcher;
import dev.cdioutbox.internal.dispatch.FakeBroker;
import dev.cdioutbox.internal.observe.Gauges;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Guards that a call to the broker that does not return is told in the log: a send, and the opening of a session. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("database")
class SilenceLogTest {
    private final AtomicLong nanos = new AtomicLong();
    private final Gauges gauges = new Gauges(nanos::get);
    private final SilenceLog log = new SilenceLog();
    private final CountDownLatch hangs = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);

    @AutoClose
    private final DispatchScene scene = new DispatchScene("outbox.dispatcher.delivery", "at-least-once");

    @AutoClose
    private final LogLines logged = new LogLines(SilenceLog.class.getName());

    SilenceLogTest() {
        log.gauges = gauges;
    }

    @Test
    void openingThatHangsIsTold() throws Exception {
        assertTold(new OutboxPublisher() {
            @Override
            public boolean joinsTransactions() {
                return true;
            }

            @Override
            public Sender open(DestinationId destination) throws PublishException {
                hang();
                return scene.broker.open(destination);
            }

            @Override
            public void probe(DestinationId destination) throws PublishException {
                scene.broker.probe(destination);
            }
        });
    }

    @Test
    void sendThatHangsIsTold() throws Exception {
        FakeBroker broker = new FakeBroker();
        broker.onSend = message -> hang();
        assertTold(broker);
    }

    @Test
    void destinationThatMayBeAtFaultIsToldOnceUntilItWorks() {
        AtomicBoolean isOver = new AtomicBoolean();
        Finding finding = OutboxCode.DESTINATION_FAILING.finding("default", "4711", "refused", Duration.ofMinutes(10));
        gauges.held(ofDefaultOutbox("default"), finding, isOver::get);
        log.ticked();
        log.ticked();
        isOver.set(true);
        log.ticked();
        gauges.held(ofDefaultOutbox("default"), finding, () -> false);
        log.ticked();

        assertThat(logged.all()).containsExactly(finding.toString(), finding.toString());
    }

    private void hang() {
        hangs.countDown();
        try {
            goesOn.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void assertTold(OutboxPublisher publisher) throws Exception {
        scene.write("a", "1");
        Dispatcher dispatcher = scene.dispatcher(publisher, nanos::get, List.of(gauges));
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            thread.execute(DispatchScene.workerOf(dispatcher)::poll);
            hangs.await();
            nanos.addAndGet(Duration.ofSeconds(59).toNanos());
            log.ticked();
            assertThat(logged.all()).isEmpty();

            nanos.addAndGet(Duration.ofSeconds(1).toNanos());
            log.ticked();
            log.ticked();

            assertThat(logged.all())
                    .singleElement(STRING)
                    .startsWith("OBX-0438: destination 'default': a thread has waited for 1 min");
        } finally {
            goesOn.countDown();
            thread.shutdown();
        }
    }
}
