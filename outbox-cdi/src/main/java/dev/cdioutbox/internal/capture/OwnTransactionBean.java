package dev.cdioutbox.internal.capture;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.transaction.Transactional;
import jakarta.transaction.Transactional.TxType;

/** Takes work out of the caller's transaction, on any thread of the application. */
@ApplicationScoped
class OwnTransactionBean {

    @Transactional(TxType.REQUIRES_NEW)
    public void runInNew(Runnable work) {
        work.run();
    }

    @Transactional(TxType.NOT_SUPPORTED)
    public void runOutside(Runnable work) {
        work.run();
    }
}
