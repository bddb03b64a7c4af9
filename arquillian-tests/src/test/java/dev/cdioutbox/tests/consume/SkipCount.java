package dev.cdioutbox.tests.consume;

import java.util.concurrent.atomic.AtomicInteger;

import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.consume.ConsumerListener;

/** Counts the duplicates that the consumer "shipping" has skipped. */
@ApplicationScoped
public class SkipCount implements ConsumerListener {
    private static final AtomicInteger SKIPPED = new AtomicInteger();

    static int skipped() {
        return SKIPPED.get();
    }

    @Override
    public void skippedDuplicate(String consumer, ConsumedMessage message) {
        if (consumer.equals("shipping")) {
            SKIPPED.incrementAndGet();
        }
    }
}
