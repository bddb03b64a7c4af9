package dev.cdioutbox.internal.capture;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

/** Runs the capture of an event outside of a transaction in a new one, if so configured. */
@ApplicationScoped
class OwnTransactionBean {

    @Transactional(TxType.REQUIRES_NEW)
    public void run(Runnable work) {
        work.run();
    }
}
