package dev.cdioutbox.internal.dispatch;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Lets one worker of the JVM at a time send messages singly, whatever application it belongs to, since a crash ends all
 * of them. The lock is a system property, which all class loaders share; it is set only when the first message is sent
 * singly.
 */
final class SingleDeliveryLock {
    /** Fair, or a worker would starve. */
    private static final ReentrantLock LOCK = shared("alone", ReentrantLock.class, () -> new ReentrantLock(true));

    /** When a message was last begun to be sent. */
    private static final AtomicLong LAST_SEND_AT =
            shared("begun", AtomicLong.class, () -> new AtomicLong(System.nanoTime()));

    /** Erases the record of the current owner; returns whether it is gone. */
    private static final AtomicReference<BooleanSupplier> ERASER = eraser();

    private SingleDeliveryLock() {}

    /** @return false if another worker is at it for longer than that */
    static boolean lock(Duration timeout) throws InterruptedException {
        boolean entered = LOCK.tryLock(timeout.toNanos(), TimeUnit.NANOSECONDS);
        if (entered) {
            LAST_SEND_AT.set(System.nanoTime());
        }
        return entered;
    }

    static boolean tryLock() {
        return LOCK.tryLock();
    }

    /** To be called by who has entered, before it notes a message. */
    static void sendBegins(BooleanSupplier eraser) {
        LAST_SEND_AT.set(System.nanoTime());
        ERASER.set(eraser);
    }

    /** Whether nothing was begun for so long; then, what is noted is erased first. */
    static boolean isStalled(Duration timeout) {
        if (System.nanoTime() - LAST_SEND_AT.get() < timeout.toNanos()) {
            return false;
        }
        BooleanSupplier eraser = ERASER.get();
        return eraser == null || eraser.getAsBoolean();
    }

    static void unlock() {
        ERASER.set(null);
        LOCK.unlock();
    }

    private static <T> T shared(String name, Class<T> type, Supplier<T> first) {
        return type.cast(System.getProperties().computeIfAbsent("dev.cdioutbox." + name, key -> first.get()));
    }

    @SuppressWarnings("unchecked")
    private static AtomicReference<BooleanSupplier> eraser() {
        return shared("eraser", AtomicReference.class, AtomicReference::new);
    }
}
