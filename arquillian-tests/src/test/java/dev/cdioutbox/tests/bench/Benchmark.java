package dev.cdioutbox.tests.bench;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A test method that measures a row and writes its {@link Result}. The method runs if the system property
 * {@code bench.rows} names its row, or names none, and if the row's result depends on the chosen broker.
 */
@Test
@Target(ElementType.METHOD)
@Retention(RetentionPolicy.RUNTIME)
@ExtendWith(Benchmark.Chosen.class)
@interface Benchmark {
    Row value();

    /** Reads the system property. */
    final class Chosen implements ExecutionCondition {
        private static final Messaging BROKER = Messaging.chosen();
        /** Empty for all rows. */
        private static final Set<Row> ROWS = Pattern.compile(",")
                .splitAsStream(System.getProperty("bench.rows", ""))
                .map(String::strip)
                .filter(name -> !name.isEmpty())
                .map(Row::valueOf)
                .collect(Collectors.toSet());

        @Override
        public ConditionEvaluationResult evaluateExecutionCondition(ExtensionContext test) {
            Row row =
                    test.getRequiredTestMethod().getAnnotation(Benchmark.class).value();
            if (!ROWS.isEmpty() && !ROWS.contains(row)) {
                return ConditionEvaluationResult.disabled(row + " is not among bench.rows");
            }
            // These rows choose their brokers.
            boolean hasItsOwn = row == Row.R15
                    || BROKER == Messaging.LIBERTY && Messaging.KAFKA.rows().contains(row);
            return hasItsOwn || BROKER.rows().contains(row)
                    ? ConditionEvaluationResult.enabled(row + " is chosen")
                    : ConditionEvaluationResult.disabled(row + " does not depend on the broker");
        }
    }
}
