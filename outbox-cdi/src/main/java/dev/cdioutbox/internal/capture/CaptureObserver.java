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
 * An observer of ours. Not made by the container's configurator, because what one of those throws reaches the caller of
 * {@code fire()} wrapped in an ObserverException; this one's exceptions arrive as they are.
 */
final class CaptureObserver implements ObserverMethod<Object> {
    private final Class<?> observed;
    private final Set<Annotation> qualifiers;
    private final TransactionPhase phase;
    private final boolean async;
    private final Consumer<EventContext<Object>> action;

    private CaptureObserver(
            Class<?> observed,
            Set<Annotation> qualifiers,
            TransactionPhase phase,
            boolean async,
            Consumer<EventContext<Object>> action) {
        this.observed = observed;
        this.qualifiers = qualifiers;
        this.phase = phase;
        this.async = async;
        this.action = action;
    }

    /** Sees every event there is, when it is fired. */
    static CaptureObserver immediate(Consumer<EventContext<Object>> action) {
        return new CaptureObserver(Object.class, Set.of(), TransactionPhase.IN_PROGRESS, false, action);
    }

    /** Sees every event that is fired asynchronously. */
    static CaptureObserver async(Consumer<EventContext<Object>> action) {
        return new CaptureObserver(Object.class, Set.of(), TransactionPhase.IN_PROGRESS, true, action);
    }

    /** Sees the events of a type when their transaction is about to complete. */
    static CaptureObserver beforeCompletion(Class<?> observed, Runnable action) {
        return new CaptureObserver(
                observed, Set.of(), TransactionPhase.BEFORE_COMPLETION, false, event -> action.run());
    }

    /** Sees the events that are fired with a qualifier when their transaction is about to complete. */
    static CaptureObserver beforeCompletion(Annotation qualifier, Runnable action) {
        return new CaptureObserver(
                Object.class, Set.of(qualifier), TransactionPhase.BEFORE_COMPLETION, false, event -> action.run());
    }

    /**
     * An extension of the application can take observers away, or put others in their places.
     *
     * @throws dev.cdioutbox.OutboxException OBX-0214 if those that see every event are not there, in the last place
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

    /** None is any: whatever the qualifiers of the event are. */
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

    /** The last of all, so that an observer of the application that throws first leaves nothing half done. */
    @Override
    public int getPriority() {
        return EarlierObserver.LAST;
    }

    @Override
    public boolean isAsync() {
        return async;
    }
}
