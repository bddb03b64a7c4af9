package dev.cdioutbox.sample;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.validation.Constraint;
import jakarta.validation.Payload;
import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;

/**
 * A whole number from 1 to 1000, for a {@code BigDecimal}. JSON-B would convert 1.5 to the {@code int} 1, and
 * 4294967299 to 3.
 */
@Min(1)
@Max(1000)
@Digits(integer = Integer.MAX_VALUE, fraction = 0, message = "must be a whole number")
@Documented
@Constraint(validatedBy = {})
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.FIELD, ElementType.METHOD, ElementType.PARAMETER})
@interface Quantity {

    String message() default "";

    Class<?>[] groups() default {};

    Class<? extends Payload>[] payload() default {};
}
