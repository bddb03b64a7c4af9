package dev.cdioutbox.internal.capture;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

/** Gives an event that was fired outside of a transaction one of its own, if that is configured. */
@ApplicationScoped
class OwnTransactionBean implements Capture.OwnTransaction {

    @Override
    @Transactional(TxType.REQUIRES_NEW)
    public void run(Runnable work) {
        work.run();
    }
}
