package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The one lane of the JVM that sends messages alone, whatever application it is of, since one death takes all of them. So it is
 * known by classes that all of them share, and stands in the system's properties; there only from the first message on that is
 * sent alone, since not everybody who reads those expects more than text.
 */
final class Solo {
    /** Fair, or a lane would starve. */
    private static final ReentrantLock ALONE = shared("alone", ReentrantLock.class, () -> new ReentrantLock(true));

    /** When a message was last begun to be sent. */
    private static final AtomicLong BEGUN = shared("begun", AtomicLong.class, () -> new AtomicLong(System.nanoTime()));

    /** Erases what the one that is at it has noted, and tells whether that is gone. */
    private static final AtomicReference<BooleanSupplier> ERASER = eraser();

    private Solo() {}

    /** @return false if another lane is at it for longer than that */
    static boolean enter(Duration patience) throws InterruptedException {
        boolean entered = ALONE.tryLock(patience.toNanos(), TimeUnit.NANOSECONDS);
        if (entered) {
            BEGUN.set(System.nanoTime());
        }
        return entered;
    }

    static boolean enterAtOnce() {
        return ALONE.tryLock();
    }

    /** To be called by who has entered, before it notes a message. */
    static void begins(BooleanSupplier eraser) {
        BEGUN.set(System.nanoTime());
        ERASER.set(eraser);
    }

    /** Whether nothing was begun for so long; then, what is noted is erased first. */
    static boolean isStuck(Duration patience) {
        if (System.nanoTime() - BEGUN.get() < patience.toNanos()) {
            return false;
        }
        BooleanSupplier eraser = ERASER.get();
        return eraser == null || eraser.getAsBoolean();
    }

    static void leave() {
        ERASER.set(null);
        ALONE.unlock();
    }

    private static <T> T shared(String name, Class<T> type, Supplier<T> first) {
        return type.cast(System.getProperties().computeIfAbsent("dev.cdioutbox." + name, key -> first.get()));
    }

    @SuppressWarnings("unchecked")
    private static AtomicReference<BooleanSupplier> eraser() {
        return shared("eraser", AtomicReference.class, AtomicReference::new);
    }
}
