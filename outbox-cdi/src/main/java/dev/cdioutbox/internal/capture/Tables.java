package dev.cdioutbox.internal.capture;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.logging.Logger;

import dev.cdioutbox.internal.problem.Problem;
import dev.cdioutbox.internal.store.OutboxStore;

/**
 * The tables of one outbox, opened as its store. With {@code outbox.schema=none} the application may create the tables
 * after its deployment, for example in a {@code @Startup} bean: the store is opened as soon as they are there. Until
 * then, events are refused. Thread-safe.
 *
 * @param <S> the type of the store
 */
public final class Tables<S extends OutboxStore> {
    private static final Logger LOG = Logger.getLogger(Tables.class.getName());

    private final String outbox;
    private final Supplier<S> opening;
    private final Consumer<Runnable> outside;
    private volatile S store;
    private String reported;

    /**
     * @param opening prepares and checks the tables; repeated until it succeeds
     * @param outside runs work outside of the caller's transaction
     */
    Tables(String outbox, Supplier<S> opening, Consumer<Runnable> outside) {
        this.outbox = outbox;
        this.opening = opening;
        this.outside = outside;
    }

    /**
     * Opens the store unless it is open. Do not call this in a transaction.
     *
     * @throws dev.cdioutbox.OutboxException OBX-02xx or OBX-03xx if the tables cannot be used
     */
    synchronized S open() {
        if (store == null) {
            store = opening.get();
            if (reported != null) {
                LOG.info(Problem.STORE_READY.text(outbox));
            }
        }
        return store;
    }

    /** The same without an exception: returns the problem, or null. Logs each different problem once. */
    synchronized String problem() {
        try {
            open();
            return null;
        } catch (RuntimeException e) {
            String problem = Problem.reason(e);
            if (!problem.equals(reported)) {
                LOG.warning(Problem.STORE_WAITS.text(outbox, problem));
            }
            reported = problem;
            return problem;
        }
    }

    boolean areOpen() {
        return store != null;
    }

    /** Opens the store if it is not open, in any transaction of the caller: returns the problem, or null. */
    String whyClosed() {
        if (store != null) {
            return null;
        }
        // Not by an exception: Liberty would write an FFDC for one that leaves a @Transactional method.
        AtomicReference<String> problem = new AtomicReference<>();
        outside.accept(() -> problem.set(problem()));
        return problem.get();
    }

    /**
     * The store, opened now if need be, in any transaction of the caller.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0224 if the tables cannot be used yet
     */
    S store() {
        String problem = whyClosed();
        if (problem != null) {
            throw Problem.STORE_WAITS.exception(outbox, problem);
        }
        return store;
    }
}
