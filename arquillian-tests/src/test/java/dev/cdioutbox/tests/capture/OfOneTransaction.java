package dev.cdioutbox.tests.capture;

import java.io.Serializable;

import jakarta.annotation.PreDestroy;
import jakarta.transaction.TransactionScoped;

/** A bean that the container destroys at the end of its transaction. */
@TransactionScoped
public class OfOneTransaction implements Serializable {
    private static final long serialVersionUID = 1L;
    private transient Runnable atTheEnd = () -> {};

    public void atTheEnd(Runnable work) {
        atTheEnd = work;
    }

    @PreDestroy
    void end() {
        atTheEnd.run();
    }
}
