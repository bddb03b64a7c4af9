package dev.cdioutbox;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.ejb.EJBException;

import org.junit.jupiter.api.Test;

/** Guards that the caller of an EJB finds the outbox's exception, which the container has wrapped. */
class OutboxExceptionTest {
    private final OutboxException refused = new EventRefusedException("OBX-0108", "not serializable", null);

    @Test
    void exceptionIsFoundAmongTheCauses() {
        assertThat(OutboxException.in(refused)).isSameAs(refused);
        assertThat(OutboxException.in(new EJBException(new IllegalStateException(refused))))
                .isSameAs(refused);
    }

    @Test
    void failureWithoutOneHasNone() {
        assertThat(OutboxException.in(new EJBException(new IllegalStateException("no database"))))
                .isNull();
    }

    /** The outer one says what happened, the inner one why. */
    @Test
    void nearestExceptionIsFound() {
        OutboxException outer = new OutboxException("OBX-0115", "the enricher failed", refused);

        assertThat(OutboxException.in(new EJBException(outer))).isSameAs(outer);
    }
}
