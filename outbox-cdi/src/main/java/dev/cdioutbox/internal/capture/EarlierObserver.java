package dev.cdioutbox.internal.capture;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.Set;

import jakarta.enterprise.event.Reception;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.ObserverMethod;

/**
 * Wraps an observer of the application that could run after those of the outbox, and gives it an earlier priority. If that
 * observer throws, {@code fire()} throws, and then the event must not be captured. {@link CaptureObserver} says why the
 * container's configurator does not serve.
 */
record EarlierObserver<T>(ObserverMethod<T> observer) implements ObserverMethod<T> {
    /**
     * The priority of the outbox's own observers. Weld compares two priorities by subtraction, which may overflow: then
     * a negative one sorts after a very high one. Between {@link #FIRST} and this value no difference overflows.
     */
    static final int LAST = (1 << 30) - 1;

    private static final int FIRST = -(1 << 30);

    static boolean isNeededFor(int priority) {
        return priority >= LAST || priority < FIRST;
    }

    /** Moves each end of the range inwards as a whole, which keeps the order within that end. */
    static int earlier(int priority) {
        if (priority >= LAST) {
            return priority - LAST - 2;
        }
        return priority < FIRST ? priority - FIRST : priority;
    }

    @Override
    public int getPriority() {
        return earlier(observer.getPriority());
    }

    @Override
    public void notify(EventContext<T> fired) {
        observer.notify(fired);
    }

    @Override
    public Class<?> getBeanClass() {
        return observer.getBeanClass();
    }

    @Override
    public Bean<?> getDeclaringBean() {
        return observer.getDeclaringBean();
    }

    @Override
    public Type getObservedType() {
        return observer.getObservedType();
    }

    @Override
    public Set<Annotation> getObservedQualifiers() {
        return observer.getObservedQualifiers();
    }

    @Override
    public Reception getReception() {
        return observer.getReception();
    }

    @Override
    public TransactionPhase getTransactionPhase() {
        return observer.getTransactionPhase();
    }

    @Override
    public boolean isAsync() {
        return observer.isAsync();
    }
}
