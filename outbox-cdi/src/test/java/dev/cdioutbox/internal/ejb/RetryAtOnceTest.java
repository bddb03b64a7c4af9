package dev.cdioutbox.internal.ejb;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;

import jakarta.ejb.EJBException;

import org.junit.jupiter.api.Test;

/**
 * Only a worker's first failure in a row may reach the container. The container retries once, and after a second
 * failure it waits for minutes.
 */
class RetryAtOnceTest {
    private final List<String> thrown = new ArrayList<>();

    @Test
    void firstFailureInARowIsThrownAndNoOther() {
        called(1);
        called(2);
        called(3);
        assertThat(thrown).containsExactly("failure 1");

        called(0);
        called(1);
        assertThat(thrown).containsExactly("failure 1", "failure 1");
    }

    @Test
    void failureThatAWakeUpHasMetBeforeIsNotThrown() {
        called(2);

        assertThat(thrown).isEmpty();
    }

    private void called(int failures) {
        try {
            RetryAtOnce.throwIfFirst(failures == 0 ? null : new IllegalStateException("failure " + failures), failures);
        } catch (EJBException e) {
            thrown.add(e.getMessage());
        }
    }
}
