package dev.cdioutbox.internal.capture.aggregate;

import java.util.Arrays;
import java.util.Collection;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

import dev.cdioutbox.persistence.OutboxAggregate;
import dev.cdioutbox.persistence.OutboxAggregates;
import dev.cdioutbox.persistence.WritesAggregates;

/** Fires the events of the aggregates that a method has written. Runs inside of {@code @Transactional}. */
@Interceptor
@WritesAggregates
@Priority(Interceptor.Priority.LIBRARY_BEFORE)
class WritesAggregatesInterceptor {
    @Inject
    OutboxAggregates aggregates;

    @AroundInvoke
    Object write(InvocationContext call) throws Exception {
        Object result = call.proceed();
        for (Object argument : call.getParameters()) {
            written(argument);
        }
        return result;
    }

    private void written(Object argument) {
        if (argument instanceof OutboxAggregate aggregate) {
            aggregates.written(aggregate);
        } else if (argument instanceof Collection<?> several) {
            several.forEach(this::written);
        } else if (argument instanceof Object[] several) {
            Arrays.asList(several).forEach(this::written);
        }
    }
}
