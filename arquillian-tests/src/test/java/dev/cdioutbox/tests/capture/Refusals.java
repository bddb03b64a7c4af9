package dev.cdioutbox.tests.capture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.cdioutbox.OutboxException;

/** What callers are told. */
final class Refusals {
    private Refusals() {}

    /** The trial's first failure has the code and names the event. */
    static void assertRefused(Trial trial, String code, Class<?> event) {
        assertThat(trial.refusals()).isNotEmpty();
        assertThat(trial.refusals().get(0)).isInstanceOfSatisfying(OutboxException.class, refusal -> {
            assertThat(refusal.code()).isEqualTo(code);
            assertThat(refusal).hasMessageContaining(event.getName());
        });
    }
}
