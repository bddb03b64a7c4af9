package dev.cdioutbox.tests.capture;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

/** Runs work in transactions of {@code @Transactional}. */
@ApplicationScoped
public class Transactionals {

    @Transactional
    public void required(Runnable work) {
        work.run();
    }

    @Transactional(TxType.REQUIRES_NEW)
    public void requiresNew(Runnable work) {
        work.run();
    }

    @Transactional(value = TxType.REQUIRES_NEW, dontRollbackOn = RuntimeException.class)
    public void inSpiteOfFailures(Runnable work) {
        work.run();
    }

    @Transactional(TxType.NOT_SUPPORTED)
    public void notSupported(Runnable work) {
        work.run();
    }
}
