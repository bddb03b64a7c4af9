package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.OutboxException;

/** Assertions on the exceptions that callers get. */
final class Refusals {
    private Refusals() {}

    /** Asserts that the trial's first exception has the code and names the event. */
    static void assertRefused(Trial trial, String code, Class<?> event) {
        assertThat(trial.refusals()).isNotEmpty();
        assertThat(trial.refusals().get(0)).isInstanceOfSatisfying(OutboxException.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(code);
            assertThat(refusal).hasMessageContaining(event.getName());
        });
    }
}
