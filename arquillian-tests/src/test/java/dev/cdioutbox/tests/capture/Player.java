package dev.cdioutbox.tests.capture;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

/** Runs plans, and records which events fire() accepted and which it refused. */
@ApplicationScoped
public class Player {
    @Inject
    Desk desk;

    @Inject
    BeanManaged beanManaged;

    @Inject
    Transactionals transactionals;

    private final Set<String> taken = ConcurrentHashMap.newKeySet();
    private final Set<String> refused = ConcurrentHashMap.newKeySet();

    Set<String> taken() {
        return taken;
    }

    Set<String> refused() {
        return refused;
    }

    /** @param key the key of all events */
    void play(Plan plan, String key) {
        try {
            switch (plan.kind()) {
                case EJB -> desk.ejb().requiresNew(() -> steps(plan, key));
                case TRANSACTIONAL -> transactionals.requiresNew(() -> steps(plan, key));
                case USER -> beanManaged.commit(() -> steps(plan, key));
            }
        } catch (Exception rolledBack) {
            if (plan.commits()) {
                throw new IllegalStateException(plan + " should have committed", rolledBack);
            }
        }
    }

    /** Runs a plan in a transaction that times out after the last step. */
    void timeOut(Plan plan, String key) {
        try {
            beanManaged.timeOut(() -> {
                steps(plan, key);
                Timeouts.awaitTimeout(desk);
            });
        } catch (Exception expected) {
            return;
        }
        throw new IllegalStateException(plan + " should have timed out");
    }

    private void steps(Plan plan, String key) {
        desk.entities().persist(new Booking(plan.id(), null));
        for (Plan.Step step : plan.steps()) {
            if (step instanceof Plan.Fire fire) {
                desk.at(fire.when(), () -> fire(key, fire.token()));
            } else if (step instanceof Plan.FireOutside outside) {
                desk.ejb().notSupported(() -> fire(key, outside.token()));
            } else if (step instanceof Plan.Nested nested) {
                play(nested.plan(), key);
            } else if (step instanceof Plan.Poisoned poisoned) {
                desk.at(poisoned.when(), () -> desk.trial().fireAndIgnore(Stubborn.CHECKED, Stubborn::new));
            } else if (step instanceof Plan.RollBack) {
                desk.registry().setRollbackOnly();
            } else {
                throw new IllegalStateException("business failed");
            }
        }
    }

    /** Ignores a refusal, as a careless application does. */
    private void fire(String key, String token) {
        try {
            desk.fire(new Noted(key, token));
            taken.add(token);
        } catch (RuntimeException e) {
            refused.add(token);
        }
    }
}
