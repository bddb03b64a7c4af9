package dev.cdioutbox.tests.capture;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;

/** The application's own observers of an outbox event, which fail when its token asks for it. */
@Dependent
public class Objector {
    static final String FIRST = "refuse first of all";
    static final String LAST = "refuse just before the capture";
    static final String BEFORE_COMPLETION = "refuse before completion";

    void first(@Observes @Priority(1) Noted noted) {
        refuse(noted, FIRST);
    }

    /** The last that is certain to come before the capture: between equal priorities the order is open. */
    void last(@Observes @Priority(Integer.MAX_VALUE - 1) Noted noted) {
        refuse(noted, LAST);
    }

    void completion(@Observes(during = TransactionPhase.BEFORE_COMPLETION) @Priority(1) Noted noted) {
        refuse(noted, BEFORE_COMPLETION);
    }

    private static void refuse(Noted noted, String token) {
        if (noted.token().equals(token)) {
            throw new IllegalStateException(token);
        }
    }
}
