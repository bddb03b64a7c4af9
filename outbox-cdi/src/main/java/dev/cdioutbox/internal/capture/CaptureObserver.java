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

import dev.cdioutbox.internal.problem.Problem;

/**
 * An observer of the outbox. The container's configurator is no use here: its observers wrap their exceptions in an
 * ObserverException. The caller of {@code fire()} gets the exceptions of this class unwrapped.
 */
record CaptureObserver(
        Class<?> observed,
        Set<Annotation> qualifiers,
        TransactionPhase phase,
        boolean async,
        Consumer<EventContext<Object>> action)
        implements ObserverMethod<Object> {

    /** Observes every synchronous event, during {@code fire()}. */
    static CaptureObserver immediate(Consumer<EventContext<Object>> action) {
        return new CaptureObserver(Object.class, Set.of(), TransactionPhase.IN_PROGRESS, false, action);
    }

    /** Observes every asynchronous event. */
    static CaptureObserver async(Consumer<EventContext<Object>> action) {
        return new CaptureObserver(Object.class, Set.of(), TransactionPhase.IN_PROGRESS, true, action);
    }

    /** Observes the events of a type when their transaction is about to complete. */
    static CaptureObserver beforeCompletion(Class<?> observed, Runnable action) {
        return new CaptureObserver(
                observed, Set.of(), TransactionPhase.BEFORE_COMPLETION, false, event -> action.run());
    }

    /** Observes the events with a qualifier when their transaction is about to complete. */
    static CaptureObserver beforeCompletion(Annotation qualifier, Runnable action) {
        return new CaptureObserver(
                Object.class, Set.of(qualifier), TransactionPhase.BEFORE_COMPLETION, false, event -> action.run());
    }

    /**
     * Checks that the observers are registered: an extension of the application can remove or replace observers.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0214 if the observers of every event are not registered with the last
     *     priority
     */
    static void assertInPlace(BeanManager beans) {
        Set<Boolean> found = beans.resolveObserverMethods(new Object()).stream()
                .filter(observer -> observer.getBeanClass() == OutboxExtension.class)
                .filter(observer -> observer.getPriority() == EarlierObserver.LAST)
                .map(ObserverMethod::isAsync)
                .collect(Collectors.toSet());
        if (found.size() < 2) {
            throw Problem.OBSERVERS_REMOVED.exception();
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
        return observed;
    }

    /** An empty set matches every qualifier. */
    @Override
    public Set<Annotation> getObservedQualifiers() {
        return qualifiers;
    }

    @Override
    public Reception getReception() {
        return Reception.ALWAYS;
    }

    @Override
    public TransactionPhase getTransactionPhase() {
        return phase;
    }

    /** Runs last, so that no event is captured if an observer of the application throws. */
    @Override
    public int getPriority() {
        return EarlierObserver.LAST;
    }

    @Override
    public boolean isAsync() {
        return async;
    }
}
