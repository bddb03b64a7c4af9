package dev.cdioutbox.tests.publisher;

import jakarta.ejb.Asynchronous;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;

/** A thread of the container, as the dispatcher's threads are. */
@Stateless
@TransactionManagement(TransactionManagementType.BEAN)
public class OtherThread {

    @Asynchronous
    public void run(Runnable task) {
        task.run();
    }
}
