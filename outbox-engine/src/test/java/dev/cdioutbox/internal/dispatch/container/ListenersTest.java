package dev.cdioutbox.internal.dispatch.container;

import static dev.cdioutbox.spi.DestinationId.ofDefaultOutbox;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.code.LogLines;
import dev.cdioutbox.internal.dispatch.listener.DispatchListener;
import dev.cdioutbox.spi.DestinationId;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that no listener breaks dispatch: a failure is logged with its code, and the next listener is called. */
class ListenersTest {
    private static final DestinationId ORDERS = ofDefaultOutbox("orders");

    private final Listeners listeners = new Listeners(List.of(), this::isStopping);
    private final List<DestinationId> notified = new ArrayList<>();
    private boolean stopping;

    @ParameterizedTest
    @ValueSource(classes = {IllegalStateException.class, NoClassDefFoundError.class})
    void failingListenerIsLoggedAndStopsNoOther(Class<? extends Throwable> failure) throws Exception {
        Throwable thrown = failure.getConstructor(String.class).newInstance("a bug");
        listeners.add(failing(thrown));
        listeners.add(recording());
        try (LogLines logged = new LogLines("dev.cdioutbox")) {
            listeners.notifyEach(listener -> listener.runFailed(ORDERS, 1, null));

            assertThat(logged.all())
                    .singleElement()
                    .asString()
                    .startsWith("OBX-0434")
                    .contains("a bug");
        }
        assertThat(notified).containsExactly(ORDERS);
    }

    /** The application ends while a batch is in flight: its beans are gone, and no person has to act. */
    @Test
    void failureDuringTheEndOfTheApplicationIsNoWarning() {
        listeners.add(failing(new IllegalStateException("gone")));
        stopping = true;
        try (LogLines logged = new LogLines("dev.cdioutbox")) {
            listeners.notifyEach(listener -> listener.runFailed(ORDERS, 1, null));

            assertThat(logged.all()).isEmpty();
        }
    }

    private boolean isStopping() {
        return stopping;
    }

    private DispatchListener recording() {
        return new DispatchListener() {
            @Override
            public void runFailed(DestinationId destination, int failures, Throwable cause) {
                notified.add(destination);
            }
        };
    }

    private static DispatchListener failing(Throwable failure) {
        return new DispatchListener() {
            @Override
            public void runFailed(DestinationId destination, int failures, Throwable cause) {
                if (failure instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) failure;
            }
        };
    }
}
