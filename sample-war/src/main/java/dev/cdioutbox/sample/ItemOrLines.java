package dev.cdioutbox.sample;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.validation.Constraint;
import jakarta.validation.ConstraintValidator;
import jakarta.validation.ConstraintValidatorContext;
import jakarta.validation.Payload;

/** Requires either {@code item} and {@code quantity}, or {@code lines}. A violation names the missing field. */
@Documented
@Constraint(validatedBy = ItemOrLines.Validator.class)
@Retention(RetentionPolicy.RUNTIME)
@Target(ElementType.TYPE)
@interface ItemOrLines {

    String message() default "must not come together with item and quantity";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};

    /** Checks both forms of an order. */
    class Validator implements ConstraintValidator<ItemOrLines, PlaceOrder> {

        @Override
        public boolean isValid(PlaceOrder order, ConstraintValidatorContext context) {
            context.disableDefaultConstraintViolation();
            if (order.lines() == null) {
                // Not &&: report both fields.
                return hasItem(order, context) & hasQuantity(order, context);
            }
            boolean onlyLines = order.item() == null && order.quantity() == null;
            return onlyLines || report(context, "lines", context.getDefaultConstraintMessageTemplate());
        }

        private static boolean hasItem(PlaceOrder order, ConstraintValidatorContext context) {
            boolean there = order.item() != null && !order.item().isBlank();
            return there || report(context, "item", "{jakarta.validation.constraints.NotBlank.message}");
        }

        private static boolean hasQuantity(PlaceOrder order, ConstraintValidatorContext context) {
            boolean there = order.quantity() != null;
            return there || report(context, "quantity", "{jakarta.validation.constraints.NotNull.message}");
        }

        private static boolean report(ConstraintValidatorContext context, String field, String message) {
            context.buildConstraintViolationWithTemplate(message)
                    .addPropertyNode(field)
                    .addConstraintViolation();
            return false;
        }
    }
}
