package dev.cdioutbox.tests.capture;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;

/** Observers of the application that throw if the event's token names them. */
@Dependent
public class Objector {
    static final String FIRST = "refuse first of all";
    static final String HIGHEST = "refuse with a very high priority";
    static final String NEGATIVE = "refuse with a negative priority";
    static final String SYNTHETIC = "refuse in an observer that an extension made";
    static final String BEFORE_COMPLETION = "refuse before completion";

    void first(@Observes @Priority(1) Noted noted) {
        refuse(noted, FIRST);
    }

    void highest(@Observes @Priority((1 << 30) - 2) Noted noted) {
        refuse(noted, HIGHEST);
    }

    void negative(@Observes @Priority(-1) Noted noted) {
        refuse(noted, NEGATIVE);
    }

    void completion(@Observes(during = TransactionPhase.BEFORE_COMPLETION) @Priority(1) Noted noted) {
        refuse(noted, BEFORE_COMPLETION);
    }

    static void refuse(Noted noted, String token) {
        if (noted.token().equals(token)) {
            throw new IllegalStateException(token);
        }
    }
}
