package dev.cdioutbox.internal.capture;

import java.lang.annotation.Annotation;
import java.lang.reflect.Type;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;

import jakarta.enterprise.event.Reception;
import jakarta.enterprise.event.TransactionPhase;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.EventContext;
import jakarta.enterprise.inject.spi.ObserverMethod;

import dev.cdioutbox.internal.code.OutboxCode;

/**
 * Observes all synchronous events during {@code fire()}, or all asynchronous ones. Not built by the container's
 * configurator, whose observers wrap their exceptions in an ObserverException: the caller of {@code fire()} gets those of
 * this class as they are.
 */
record CaptureObserver(boolean isAsync, Consumer<EventContext<Object>> action) implements ObserverMethod<Object> {
    /**
     * The priority of the outbox's observers. Weld compares two priorities by subtraction, which overflows between a negative
     * one and a very high one, and would then sort the negative one last.
     */
    static final int LAST = (1 << 30) - 1;

    /**
     * Checks that the observers are registered: an extension of the application can remove or replace observers.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0214 if the observers of every event are not registered with the last
     *     priority
     */
    static void assertInPlace(BeanManager beans) {
        Set<Boolean> found = beans.resolveObserverMethods(new Object()).stream()
                .filter(observer -> observer.getBeanClass() == OutboxExtension.class)
                .filter(observer -> observer.getPriority() == LAST)
                .map(ObserverMethod::isAsync)
                .collect(Collectors.toSet());
        if (found.size() < 2) {
            throw OutboxCode.OBSERVERS_REMOVED.exception();
        }
    }

    @Override
    public void notify(EventContext<Object> fired) {
        action.accept(fired);
    }

    @Override
    public Class<?> getBeanClass() {
        return OutboxExtension.class;
    }

    @Override
    public Type getObservedType() {
        return Object.class;
    }

    /** An empty set matches every qualifier. */
    @Override
    public Set<Annotation> getObservedQualifiers() {
        return Set.of();
    }

    @Override
    public Reception getReception() {
        return Reception.ALWAYS;
    }

    @Override
    public TransactionPhase getTransactionPhase() {
        return TransactionPhase.IN_PROGRESS;
    }

    /** Runs last, so that no event is captured if an observer of the application throws. */
    @Override
    public int getPriority() {
        return LAST;
    }
}
