package dev.cdioutbox.tests.consume;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;

import dev.cdioutbox.internal.consume.ConsumedMessage;
import dev.cdioutbox.internal.consume.ConsumerListener;

/** A listener that always throws: neither a consumer nor another listener may be affected. */
@Priority(1)
@ApplicationScoped
public class Grumbler implements ConsumerListener {
    @Override
    public void skippedDuplicate(String consumer, ConsumedMessage message) {
        throw new IllegalStateException("no news is good news");
    }
}
