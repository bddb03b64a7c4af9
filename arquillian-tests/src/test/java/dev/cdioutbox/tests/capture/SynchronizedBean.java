package dev.cdioutbox.tests.capture;

import jakarta.ejb.SessionSynchronization;
import jakarta.ejb.Stateful;

/** A stateful bean whom the container tells of the end of its transaction. */
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
