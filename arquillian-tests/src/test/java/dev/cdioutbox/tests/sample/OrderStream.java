package dev.cdioutbox.tests.sample;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

import dev.cdioutbox.tests.server.Http.UnreachableException;
import dev.cdioutbox.tests.server.SampleClient;

/** Customers order until the server does not answer, and record the acknowledged orders. */
final class OrderStream implements AutoCloseable {
    private static final int CUSTOMERS = 3;

    private final List<String> acknowledged = new CopyOnWriteArrayList<>();
    private final ExecutorService customers = Executors.newFixedThreadPool(CUSTOMERS);

    OrderStream(SampleClient sample) {
        for (int i = 0; i < CUSTOMERS; i++) {
            customers.submit(() -> order(sample));
        }
        customers.shutdown();
    }

    List<String> acknowledged() {
        return acknowledged;
    }

    void awaitEnd() throws InterruptedException {
        if (!customers.awaitTermination(1, TimeUnit.MINUTES)) {
            throw new IllegalStateException("customers still order from a server that is dead");
        }
    }

    @Override
    public void close() {
        customers.shutdownNow();
    }

    private void order(SampleClient sample) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                acknowledged.add(sample.placeOrder());
            }
        } catch (UnreachableException dead) {
            // The outbox promises nothing for an order without an acknowledgement.
        }
    }
}
