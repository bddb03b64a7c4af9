package dev.cdioutbox.internal.dispatch;

import static dev.cdioutbox.internal.store.TestMessages.message;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import java.util.List;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.config.OutboxConfig;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Guards the warning about messages of a destination that is no longer configured. */
@Tag("database")
class UnservedDestinationsTest {
    private static final OutboxConfig RENAMED = DispatchScene.config("outbox.destinations.orders.jndi", "jms/orders");

    @AutoClose
    private final DispatchScene scene = new DispatchScene("outbox.destinations.bookings.jndi", "jms/bookings");

    @AutoClose
    private final LogLines logged = new LogLines(BacklogWatch.class.getName());

    @Test
    void messagesOfARemovedDestinationAreReportedOnce() {
        Dispatcher dispatcher = scene.dispatcher("node-2", () -> RENAMED, () -> false);
        scene.write(List.of(message("booking.made", "a", "served", "default")));
        dispatcher.refreshBacklog();
        assertThat(logged.all()).isEmpty();

        scene.write(List.of(message("booking.made", "b", "unserved", "bookings")));
        dispatcher.refreshBacklog();
        dispatcher.refreshBacklog();
        assertThat(logged.all())
                .singleElement(STRING)
                .startsWith("OBX-0433")
                .contains("[bookings]", "default", "orders");

        scene.dispatcher.refreshBacklog();
        assertThat(logged.all()).as("lines of a node that has the destination").hasSize(1);
    }
}
