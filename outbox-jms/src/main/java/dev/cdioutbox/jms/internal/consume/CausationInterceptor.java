package dev.cdioutbox.jms.internal.consume;

import jakarta.annotation.Priority;
import jakarta.inject.Inject;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;

/** Reports the message that a listener handles to the capture, and continues its trace. */
@Interceptor
@Priority(Interceptor.Priority.LIBRARY_BEFORE)
public class CausationInterceptor {
    @Inject
    CausationScope causation;

    @AroundInvoke
    Object handle(InvocationContext call) throws Exception {
        return causation.proceed(call);
    }
}
