package dev.cdioutbox.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;

import dev.cdioutbox.internal.code.Finding;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A consumer is paused only while its database is away, and only by evidence. */
class PausedConsumersTest {
    private static final String ENDPOINT = "shop#shop.war#ShippingBean";

    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private String problem = "away";
    private int looks;
    private final PausedConsumers paused = new PausedConsumers(outbox -> {
        looks++;
        return problem;
    });
    private FakeEndpoints endpoints;

    @BeforeEach
    void begin() throws Exception {
        endpoints = new FakeEndpoints(ENDPOINT);
        paused.useThreads(Runnable::run);
    }

    @AfterEach
    void end() throws Exception {
        endpoints.close();
    }

    @Test
    void consumerIsPausedUntilItsDatabaseAnswers() {
        fail();
        assertThat(endpoints.paused).containsExactly(ENDPOINT);
        assertThat(paused.endpoints()).containsExactly(ENDPOINT);
        assertThat(paused.findings("default")).extracting(Finding::code).containsExactly("OBX-0473");
        assertThat(paused.findings("other")).isEmpty();

        paused.storeChecked("default", "still away");
        paused.storeChecked("other", null);
        assertThat(endpoints.paused).containsExactly(ENDPOINT);

        paused.storeChecked("default", null);
        assertThat(endpoints.paused).isEmpty();
        assertThat(paused.findings("default")).isEmpty();
    }

    @Test
    void failureOfAnotherKindIsNoEvidence() {
        paused.deliveryFailed("ShippingBean");
        assertThat(looks).isZero();

        problem = null;
        fail();
        assertThat(looks).isEqualTo(1);
        assertThat(endpoints.calls).isEmpty();
        assertThat(paused.endpoints()).isEmpty();
    }

    @Test
    void whatAnOperatorHasPausedStaysPaused() {
        endpoints.paused.add(ENDPOINT);
        fail();
        paused.storeChecked("default", null);

        assertThat(endpoints.calls).isEmpty();
        assertThat(paused.endpoints()).isEmpty();
    }

    @Test
    void consumerThatAnOperatorHasResumedTooSoonIsPausedAgain() {
        fail();
        endpoints.paused.clear();
        fail();

        assertThat(endpoints.paused).containsExactly(ENDPOINT);
    }

    /** The server may report another thread's delivery after it has paused the endpoint. */
    @Test
    void deliveryThatEndsAfterThePauseDoesNotMakeItAnOperators() {
        fail();
        fail();
        assertThat(endpoints.calls).containsExactly("pause " + ENDPOINT);

        paused.storeChecked("default", null);
        assertThat(endpoints.paused).isEmpty();
    }

    /** The server stops the deliveries before it waits for those in progress, which may take too long. */
    @Test
    void consumerIsResumedEvenIfItsPauseHasFailed() {
        endpoints.within = () -> {
            endpoints.paused.add(ENDPOINT);
            throw new IllegalStateException("a delivery does not end");
        };
        fail();

        endpoints.within = () -> {};
        paused.storeChecked("default", null);
        assertThat(endpoints.paused).isEmpty();
        assertThat(paused.endpoints()).isEmpty();
    }

    @Test
    void resumeThatFailsIsTriedAgain() {
        fail();
        endpoints.within = () -> {
            throw new IllegalStateException("the broker is away");
        };
        paused.storeChecked("default", null);
        assertThat(paused.findings("default")).hasSize(1);

        endpoints.within = () -> {};
        paused.storeChecked("default", null);
        assertThat(endpoints.paused).isEmpty();
        assertThat(paused.findings("default")).isEmpty();
    }

    @Test
    void pauseThatFailsIsTriedWithTheNextDelivery() {
        endpoints.within = () -> {
            throw new IllegalStateException("not now");
        };
        fail();
        assertThat(endpoints.paused).isEmpty();

        endpoints.within = () -> {};
        fail();
        assertThat(endpoints.paused).containsExactly(ENDPOINT);
    }

    /** The server waits for the deliveries in progress, and a database that hangs may keep one for long. */
    @Test
    void consumerIsNotResumedBeforeItIsPaused() {
        paused.useThreads(waiting::add);
        Thread.currentThread().interrupt();
        fail();
        assertThat(Thread.interrupted()).as("still interrupted").isTrue();
        paused.storeChecked("default", null);
        assertThat(waiting).hasSize(1);

        waiting.remove().run();
        paused.storeChecked("default", null);
        waiting.remove().run();
        assertThat(endpoints.calls).containsExactly("pause " + ENDPOINT, "resume " + ENDPOINT);
    }

    @Test
    void failureOfThePauseDoesNotHideThatOfTheDelivery() {
        paused.useThreads(work -> {
            throw new IllegalStateException("the application stops");
        });
        fail();

        assertThat(endpoints.calls).isEmpty();
        assertThat(paused.endpoints()).isEmpty();
    }

    @Test
    void beanThatTheServerDoesNotListIsLeftAlone() {
        PausedConsumers.notReached("default");
        paused.deliveryFailed("UnknownBean");

        assertThat(looks).isZero();
    }

    private void fail() {
        PausedConsumers.notReached("default");
        paused.deliveryFailed("ShippingBean");
    }
}
