package dev.cdioutbox.tests.capture;

import java.util.UUID;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.event.Observes;
import jakarta.inject.Inject;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.transaction.InvalidTransactionException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.Synchronization;
import jakarta.transaction.SystemException;
import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;

/** Gives the scenarios access to the application's beans and to the server's transactions. */
@ApplicationScoped
public class Desk {
    @Inject
    Event<Object> events;

    @Inject
    Ejb ejb;

    @Inject
    Stored stored;

    @PersistenceContext(unitName = "capture")
    EntityManager entities;

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    TransactionSynchronizationRegistry registry;

    /** Creates the bean at the start: a thread of a test has no component context for the injection of resources. */
    void start(@Observes @Initialized(ApplicationScoped.class) Object application) {}

    Trial trial() {
        return new Trial(this);
    }

    void fire(Object event) {
        events.fire(event);
    }

    Event<Object> events() {
        return events;
    }

    Ejb ejb() {
        return ejb;
    }

    Stored stored() {
        return stored;
    }

    EntityManager entities() {
        return entities;
    }

    TransactionSynchronizationRegistry registry() {
        return registry;
    }

    /** Runs the work at a given moment of the current transaction. */
    void at(When when, Runnable work) {
        switch (when) {
            case AT_ONCE -> work.run();
            case IN_THE_FLUSH -> entities.persist(new Booking(UUID.randomUUID().toString(), work));
            case IN_AN_INTERPOSED_SYNCHRONIZATION -> registry.registerInterposedSynchronization(before(work));
            case IN_A_SYNCHRONIZATION -> register(before(work));
            case IN_A_LATE_SYNCHRONIZATION ->
                registry.registerInterposedSynchronization(
                        before(() -> registry.registerInterposedSynchronization(before(work))));
            case IN_AFTER_COMPLETION_OF_A_SYNCHRONIZATION ->
                registry.registerInterposedSynchronization(new Completion(() -> {}, work));
            default -> events.fire(new Moment(when, work));
        }
    }

    private static Synchronization before(Runnable work) {
        return new Completion(work, () -> {});
    }

    /**
     * Registers a synchronization that is not interposed: Liberty's transaction manager allows that, and Jakarta EE's
     * API does not.
     */
    private static void register(Synchronization synchronization) {
        try {
            transactions().getTransaction().registerSynchronization(synchronization);
        } catch (RollbackException | SystemException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs the work while the current transaction is suspended. */
    void suspended(Runnable work) {
        try {
            Transaction suspended = transactions().suspend();
            try {
                work.run();
            } finally {
                transactions().resume(suspended);
            }
        } catch (InvalidTransactionException | SystemException e) {
            throw new IllegalStateException(e);
        }
    }

    private static TransactionManager transactions() {
        try {
            return (TransactionManager) Class.forName("com.ibm.tx.jta.TransactionManagerFactory")
                    .getMethod("getTransactionManager")
                    .invoke(null);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException(e);
        }
    }

    private record Completion(Runnable before, Runnable after) implements Synchronization {
        @Override
        public void beforeCompletion() {
            before.run();
        }

        @Override
        public void afterCompletion(int status) {
            after.run();
        }
    }
}
