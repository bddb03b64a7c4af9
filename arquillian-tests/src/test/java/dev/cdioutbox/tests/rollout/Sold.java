package dev.cdioutbox.tests.rollout;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** The event of a sale. The old publisher has a row with the same id, by which the test compares both. */
@OutboxEvent(type = "Sold")
public record Sold(@OutboxKey String basket, int number, String id) {

    /** The payload that the hand-written publisher sends. */
    String json() {
        return "{\"basket\":\"%s\",\"id\":\"%s\",\"number\":%d}".formatted(basket, id, number);
    }
}
