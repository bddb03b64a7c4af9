package dev.cdioutbox.internal.capture.event;

import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;

import jakarta.enterprise.inject.Instance;
import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validator;

import dev.cdioutbox.internal.code.FailureReason;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.deployment.OptionalBeans;

/**
 * Validates events with Jakarta Validation, by the Validator of the application or of the server. Finds the object
 * behind a server's proxy at the start, for threads without a component. Loaded only if the platform has that feature.
 */
public final class BeanValidation implements EventValidation {
    private static final Logger LOG = Logger.getLogger(BeanValidation.class.getName());

    private final Validator validator;
    /** Null until {@link #prepare} has found it. */
    private volatile Validator unwrapped;

    BeanValidation(Validator validator) {
        this.validator = validator;
    }

    /** The validator of the application; without one, events are not validated. */
    public static EventValidation of(Instance<Object> beans) {
        return OptionalBeans.atMostOne(beans, Validator.class)
                .<EventValidation>map(BeanValidation::new)
                .orElse(EventValidation.NONE);
    }

    /** Finds the Validator behind the container's proxy, on a thread of one of the module's components. */
    @Override
    public void prepare() {
        try {
            unwrapped = validator.unwrap(Validator.class);
        } catch (RuntimeException e) {
            LOG.log(Level.FINE, "only the container's proxy of the Validator is known", e);
        }
    }

    @Override
    public void validate(Object event) {
        Set<ConstraintViolation<Object>> violations;
        try {
            violations = violations(event);
        } catch (RuntimeException e) {
            throw OutboxCode.NOT_VALIDATED.exception(e, event.getClass().getName(), FailureReason.of(e));
        }
        if (!violations.isEmpty()) {
            // The message leaves out the values, which may be confidential.
            String all = violations.stream()
                    .map(violation -> violation.getPropertyPath() + " " + violation.getMessage())
                    .sorted()
                    .collect(Collectors.joining("; "));
            throw OutboxCode.INVALID_EVENT.exception(event.getClass().getName(), all);
        }
    }

    /** Asks the bean first: an application's bean may wrap the container's Validator and refuse more events. */
    private Set<ConstraintViolation<Object>> violations(Object event) {
        try {
            return validator.validate(event);
        } catch (RuntimeException e) {
            if (unwrapped == null) {
                throw e;
            }
            // Liberty's proxy needs the component of the thread, and fails on a thread without one.
            return unwrapped.validate(event);
        }
    }
}
