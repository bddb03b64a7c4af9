package dev.cdioutbox.persistence;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

import jakarta.interceptor.InterceptorBinding;

/**
 * Marks a method that writes aggregates to the database without an {@link OutboxEntityListener}: by JDBC, by another
 * mapper, or a method of a Jakarta Data repository for which the provider executes a plain statement.
 *
 * <p>When the method returns, the events of each {@link OutboxAggregate} among its arguments are fired, also of those in
 * an array or {@link Iterable}. A method that has not written an aggregate must throw.
 *
 * <pre>{@code
 * @WritesAggregates
 * public void update(Order order) {
 *     jdbc.update("UPDATE orders SET status = ? WHERE id = ?", order.status(), order.id());
 * }
 * }</pre>
 */
@Documented
@Inherited
@InterceptorBinding
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface WritesAggregates {}
