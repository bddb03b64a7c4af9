package dev.cdioutbox.tests.serialization;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;

/** An event with constraints. */
@OutboxEvent(destination = "absent")
@Reserved.InOrder
public record Reserved(
        @OutboxKey String orderId, @NotNull @Size(max = 10) String customerName, int firstSeat, int lastSeat) {

    /** A constraint on the whole event. */
    @Target(ElementType.TYPE)
    @Retention(RetentionPolicy.RUNTIME)
    @Constraint(validatedBy = InOrder.Check.class)
    public @interface InOrder {
        String message() default "the last seat comes before the first";

        Class<?>[] groups() default {};

        Class<? extends Payload>[] payload() default {};

        /** Names the property that is wrong. */
        final class Check implements ConstraintValidator<InOrder, Reserved> {
            @Override
            public boolean isValid(Reserved event, ConstraintValidatorContext context) {
                if (event.firstSeat() <= event.lastSeat()) {
                    return true;
                }
                context.disableDefaultConstraintViolation();
                context.buildConstraintViolationWithTemplate(context.getDefaultConstraintMessageTemplate())
                        .addPropertyNode("lastSeat")
                        .addConstraintViolation();
                return false;
            }
        }
    }
}
