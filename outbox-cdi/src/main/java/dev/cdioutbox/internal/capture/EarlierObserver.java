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
 * An observer of the application that could come after ours, with a priority that makes certain that it comes before: if
 * it throws, {@code fire()} has thrown, and then nothing may have been noted. Not made by the container's configurator: see
 * {@link CaptureObserver}.
 */
record EarlierObserver<T>(ObserverMethod<T> observer) implements ObserverMethod<T> {
    /**
     * The place of our own. Weld compares two priorities by subtracting one from the other, so that a negative one comes
     * after a very high one; from here down to {@link #FIRST} no difference overflows.
     */
    static final int LAST = (1 << 30) - 1;

    private static final int FIRST = -(1 << 30);

    static boolean isNeededFor(int priority) {
        return priority >= LAST || priority < FIRST;
    }

    /** Moves the ends of the range inwards as a whole, which keeps the order of those who count from there. */
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
