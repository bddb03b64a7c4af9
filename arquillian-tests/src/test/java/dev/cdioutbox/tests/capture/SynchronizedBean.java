package dev.cdioutbox.tests.capture;

import jakarta.ejb.SessionSynchronization;
import jakarta.ejb.Stateful;

/** A stateful bean that the container calls before and after the completion of its transaction. */
@Stateful
public class SynchronizedBean implements SessionSynchronization {
    private Runnable before;
    private Runnable after;

    public void enlist(Runnable beforeCompletion, Runnable afterCompletion) {
        before = beforeCompletion;
        after = afterCompletion;
    }

    @Override
    public void afterBegin() {}

    @Override
    public void beforeCompletion() {
        before.run();
    }

    @Override
    public void afterCompletion(boolean committed) {
        after.run();
    }
}
