package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.naming.InitialContext;

import jakarta.inject.Inject;
import jakarta.jms.ConnectionFactory;
import jakarta.jms.JMSContext;
import jakarta.jms.Queue;

import org.jboss.arquillian.container.test.api.Deployment;
import org.jboss.arquillian.junit5.ArquillianExtension;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/** An event belongs to the transaction in which it is fired, whichever API began the transaction. */
@ExtendWith(ArquillianExtension.class)
class TransactionKindsIT {
    private static final Duration SOON = Duration.ofMinutes(4);

    @Inject
    Desk desk;

    @Inject
    BeanManaged beanManaged;

    @Inject
    Transactionals transactionals;

    @Deployment
    static WebArchive tests() {
        return CaptureArchive.ours("jdbc/counted");
    }

    @Test
    void innerTransactionCommitsWhileTheOuterOneRollsBack() {
        Trial outer = desk.trial();
        Trial inner = desk.trial();
        desk.ejb().rollBack(() -> {
            bookAndFire(outer);
            desk.ejb().requiresNew(() -> bookAndFire(inner));
            outer.fire();
        });
        outer.assertRolledBack();
        inner.assertCommitted("1");
    }

    @Test
    void innerTransactionRollsBackWhileTheOuterOneCommits() {
        Trial outer = desk.trial();
        Trial inner = desk.trial();
        desk.ejb().required(() -> {
            bookAndFire(outer);
            assertThatThrownBy(() -> desk.ejb().requiresNew(() -> fail(inner))).isInstanceOf(RuntimeException.class);
            outer.fire();
        });
        outer.assertCommitted("1", "2");
        inner.assertRolledBack();
    }

    @Test
    void eventBetweenTransactionsIsRefusedAndTheOuterOneCommits() {
        Trial outer = desk.trial();
        Trial between = desk.trial();
        desk.ejb().required(() -> {
            bookAndFire(outer);
            desk.ejb().notSupported(between::fireAndIgnore);
            outer.fire();
        });
        outer.assertCommitted("1", "2");
        between.judge();
        Refusals.assertRefused(between, "OBX-0101", Noted.class);
    }

    @Test
    void eventInATransactionThatIsMarkedForRollbackIsRefused() {
        Trial trial = desk.trial();
        trial.play(() -> {
                    trial.fire();
                    desk.registry().setRollbackOnly();
                    trial.fireAndIgnore();
                })
                .assertRolledBack();
        Refusals.assertRefused(trial, "OBX-0103", Noted.class);
    }

    @Test
    void userTransactionDecides() throws Exception {
        Trial committed = desk.trial();
        beanManaged.commit(() -> bookAndFire(committed));
        committed.assertCommitted("1");
        Trial rolledBack = desk.trial();
        beanManaged.rollBack(() -> bookAndFire(rolledBack));
        rolledBack.assertRolledBack();
    }

    @Test
    void transactionalBeanDecides() {
        Trial outer = desk.trial();
        Trial inner = desk.trial();
        Trial between = desk.trial();
        assertThatThrownBy(() -> transactionals.required(() -> {
                    transactionals.requiresNew(() -> bookAndFire(inner));
                    transactionals.notSupported(between::fireAndIgnore);
                    fail(outer);
                }))
                .isInstanceOf(Fault.class);
        inner.assertCommitted("1");
        outer.assertRolledBack();
        between.judge();
        Refusals.assertRefused(between, "OBX-0101", Noted.class);
    }

    @Test
    void asynchronousMethodHasATransactionOfItsOwn() throws Exception {
        Trial caller = desk.trial();
        Trial called = desk.trial();
        desk.ejb().rollBack(() -> {
            bookAndFire(caller);
            try {
                desk.ejb().asynchronous(() -> bookAndFire(called)).get(60, TimeUnit.SECONDS);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        caller.assertRolledBack();
        called.assertCommitted("1");
    }

    @Test
    void timerThatFailsIsCalledAgainAndStoresOnce() {
        Trial failed = desk.trial();
        Trial again = desk.trial();
        desk.ejb().later(failsOnce(failed, again));
        awaitSecond(failed, again);
    }

    @Test
    void messageThatIsRedeliveredStoresOnce() throws Exception {
        Trial failed = desk.trial();
        Trial again = desk.trial();
        ConnectionFactory factory = InitialContext.doLookup("java:comp/DefaultJMSConnectionFactory");
        try (JMSContext context = factory.createContext()) {
            Queue queue = InitialContext.doLookup("jms/capture");
            context.createProducer().send(queue, failsOnce(failed, again).name());
        }
        awaitSecond(failed, again);
    }

    private void awaitSecond(Trial failed, Trial again) {
        await().atMost(SOON).until(() -> desk.stored().isBooked(again.key()));
        again.assertCommitted("1");
        failed.assertRolledBack();
    }

    private static Task failsOnce(Trial failed, Trial again) {
        AtomicInteger calls = new AtomicInteger();
        return Task.of(failed.key(), () -> {
            if (calls.getAndIncrement() == 0) {
                fail(failed);
            }
            bookAndFire(again);
        });
    }

    private static void bookAndFire(Trial trial) {
        trial.book();
        trial.fire();
    }

    private static void fail(Trial trial) {
        bookAndFire(trial);
        throw new Fault();
    }

    /** Thrown by business code after it has fired an event. */
    private static final class Fault extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    @Test
    void transactionThatTimedOutStoresNothing() {
        Trial trial = desk.trial();
        assertThatThrownBy(() -> beanManaged.timeOut(() -> {
                    bookAndFire(trial);
                    Timeouts.awaitTimeout(desk);
                    trial.fireAndIgnore();
                }))
                .isInstanceOf(Exception.class);
        trial.assertRolledBack();
        assertThat(trial.refusals()).as("fired after the timeout").hasSize(1);
    }
}
