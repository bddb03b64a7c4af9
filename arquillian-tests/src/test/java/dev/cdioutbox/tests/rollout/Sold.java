package dev.cdioutbox.tests.rollout;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** The new way of saying what the old one writes into a table of its own: both have one id, by which they are compared. */
@OutboxEvent(type = "Sold")
public record Sold(@OutboxKey String basket, int number, String id) {

    /** What the hand-written publisher sends. */
    String json() {
        return "{\"basket\":\"%s\",\"id\":\"%s\",\"number\":%d}".formatted(basket, id, number);
    }
}
