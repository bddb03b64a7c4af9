package dev.cdioutbox.tests.capture;

import jakarta.annotation.Priority;
import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.event.TransactionPhase;

/** The transactional observers of the application. */
@Dependent
public class MomentObserver {

    void first(@Observes(during = TransactionPhase.BEFORE_COMPLETION) @Priority(1) Moment moment) {
        run(moment, When.IN_A_FIRST_OBSERVER);
    }

    void last(@Observes(during = TransactionPhase.BEFORE_COMPLETION) @Priority(Integer.MAX_VALUE) Moment moment) {
        run(moment, When.IN_A_LAST_OBSERVER);
    }

    void success(@Observes(during = TransactionPhase.AFTER_SUCCESS) Moment moment) {
        run(moment, When.IN_AFTER_SUCCESS);
    }

    void failure(@Observes(during = TransactionPhase.AFTER_FAILURE) Moment moment) {
        run(moment, When.IN_AFTER_FAILURE);
    }

    void completion(@Observes(during = TransactionPhase.AFTER_COMPLETION) Moment moment) {
        run(moment, When.IN_AFTER_COMPLETION);
    }

    private static void run(Moment moment, When now) {
        if (moment.when() == now) {
            moment.work().run();
        }
    }
}
