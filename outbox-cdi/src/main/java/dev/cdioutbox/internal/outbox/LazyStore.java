package dev.cdioutbox.internal.outbox;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.logging.Logger;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;

/**
 * Opens the store of one outbox when its tables are there. With {@code outbox.schema=none} the application may create the tables
 * after its deployment, for example in a {@code @Startup} bean. Until then, events are refused. Thread-safe.
 */
public final class LazyStore {
    private static final Logger LOG = Logger.getLogger(LazyStore.class.getName());

    /** Callers in a transaction look at most once in this time, since each look needs another connection. */
    private static final long PAUSE = TimeUnit.SECONDS.toNanos(1);

    private final String outbox;
    private final Supplier<JdbcOutboxStore> opening;
    private final Consumer<Runnable> outside;
    private final LongSupplier nanos;
    /**
     * Nobody waits for this lock: a caller in a transaction would keep its connection meanwhile, and the thread that opens
     * the store may need one of the same pool.
     */
    private final ReentrantLock lock = new ReentrantLock();

    private final AtomicLong looked;
    private volatile JdbcOutboxStore store;
    /** By the last look; null before the end of the first one. */
    private volatile String problem;

    /**
     * @param opening prepares and checks the tables; repeated until it succeeds
     * @param outside runs work outside of the caller's transaction
     */
    public LazyStore(String outbox, Supplier<JdbcOutboxStore> opening, Consumer<Runnable> outside, LongSupplier nanos) {
        this.outbox = outbox;
        this.opening = opening;
        this.outside = outside;
        this.nanos = nanos;
        this.looked = new AtomicLong(nanos.getAsLong() - PAUSE);
    }

    /**
     * Opens the store at the deployment. Do not call this in a transaction.
     *
     * @throws dev.cdioutbox.OutboxException OBX-02xx or OBX-03xx if the tables cannot be used
     */
    public void open() {
        store = opening.get();
    }

    /**
     * Opens the store unless it is open or another thread is opening it. Do not call this in a transaction. Logs each
     * different problem once.
     *
     * @return the problem, or null
     */
    public String problem() {
        if (store == null && lock.tryLock()) {
            try {
                look();
            } finally {
                lock.unlock();
            }
        }
        return lastProblem();
    }

    private void look() {
        if (store != null) {
            return;
        }
        try {
            open();
            if (problem != null) {
                LOG.info(OutboxCode.STORE_READY.text(outbox));
            }
        } catch (RuntimeException e) {
            String found = FailureReason.of(e);
            if (!found.equals(problem)) {
                LOG.warning(OutboxCode.STORE_WAITS.text(outbox, found));
            }
            problem = found;
        }
    }

    private String lastProblem() {
        if (store != null) {
            return null;
        }
        return problem == null ? "another thread is opening the tables at this moment" : problem;
    }

    /** Whether the tables have been there, at the deployment or since. */
    public boolean isOpen() {
        return store != null;
    }

    /**
     * The reason why the store is not open, or null, in any transaction of the caller. Tries to open it, but at most once
     * a second.
     */
    public String whyClosed() {
        if (store != null) {
            return null;
        }
        long now = nanos.getAsLong();
        long before = looked.get();
        if (now - before >= PAUSE && looked.compareAndSet(before, now)) {
            // Not by an exception: Liberty would write an FFDC for one that leaves a @Transactional method.
            outside.accept(this::problem);
        }
        return lastProblem();
    }

    /**
     * The store, opened now if need be, in any transaction of the caller.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0224 if the tables cannot be used yet
     */
    public JdbcOutboxStore get() {
        String closed = whyClosed();
        if (closed != null) {
            throw OutboxCode.STORE_WAITS.exception(outbox, closed);
        }
        return store;
    }
}
