package dev.cdioutbox.internal.capture;

import java.util.Set;
import java.util.stream.Collectors;

import jakarta.validation.ConstraintViolation;
import jakarta.validation.Validator;

import dev.cdioutbox.internal.problem.Problem;

/** Jakarta Validation of events. Loaded only where the platform has it. */
final class BeanValidator implements EventValidator {
    private final Validator validator;

    BeanValidator(Validator validator) {
        this.validator = validator;
    }

    @Override
    public void validate(Object event) {
        Set<ConstraintViolation<Object>> violations;
        try {
            violations = validator.validate(event);
        } catch (RuntimeException e) {
            throw Problem.INVALID_EVENT.exception(e, event.getClass().getName(), Problem.reason(e));
        }
        if (!violations.isEmpty()) {
            // The values stay out: they may be what nobody should read in a log.
            String all = violations.stream()
                    .map(violation -> violation.getPropertyPath() + " " + violation.getMessage())
                    .sorted()
                    .collect(Collectors.joining("; "));
            throw Problem.INVALID_EVENT.exception(event.getClass().getName(), all);
        }
    }
}
