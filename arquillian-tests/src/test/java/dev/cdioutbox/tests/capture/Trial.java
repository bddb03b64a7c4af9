package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BiFunction;

/**
 * One transaction with a business row and events, and the result of each event. The trial asserts: a row is stored for
 * each accepted event if the business row is there, and otherwise for none. A refused event is never stored.
 */
final class Trial {
    private final Desk desk;
    private final String key = UUID.randomUUID().toString();
    private final List<String> taken = new CopyOnWriteArrayList<>();
    private final List<Throwable> refusals = new CopyOnWriteArrayList<>();
    private int fired;

    Trial(Desk desk) {
        this.desk = desk;
    }

    String key() {
        return key;
    }

    List<Throwable> refusals() {
        return refusals;
    }

    void book() {
        desk.entities().persist(new Booking(key, null));
    }

    void fire() {
        fire(Noted::new);
    }

    void fire(BiFunction<String, String, Object> event) {
        fire(String.valueOf(++fired), event);
    }

    void fire(String token, BiFunction<String, String, Object> event) {
        try {
            desk.fire(event.apply(key, token));
            taken.add(token);
        } catch (RuntimeException | Error e) {
            refusals.add(e);
            throw e;
        }
    }

    /** Ignores a refusal and continues, as a careless application does. */
    void fireAndIgnore() {
        fireAndIgnore(String.valueOf(++fired), Noted::new);
    }

    void fireAndIgnore(String token, BiFunction<String, String, Object> event) {
        try {
            fire(token, event);
        } catch (RuntimeException | Error ignored) {
            // fire() has recorded the exception.
        }
    }

    void fireAsync() {
        String token = String.valueOf(++fired);
        try {
            desk.events().fireAsync(new Noted(key, token)).toCompletableFuture().get(30, TimeUnit.SECONDS);
            taken.add(token);
        } catch (ExecutionException e) {
            refusals.add(e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Runs the work in a new transaction, which may commit, or fail with an exception to the caller. */
    Trial play(Runnable work) {
        try {
            desk.ejb().requiresNew(() -> {
                book();
                work.run();
            });
        } catch (RuntimeException told) {
            refusals.add(told);
        }
        return this;
    }

    void assertCommitted(String... tokens) {
        assertThat(desk.stored().isBooked(key)).as("business row").isTrue();
        assertThat(desk.stored().tokens(key)).as("stored events").containsExactly(tokens);
        judge();
    }

    void assertRolledBack() {
        judge();
        assertThat(desk.stored().isBooked(key)).as("business row").isFalse();
    }

    void judge() {
        List<String> owed = desk.stored().isBooked(key) ? taken : List.of();
        assertThat(desk.stored().tokens(key)).as("stored events").containsExactlyElementsOf(owed);
    }
}
