package dev.cdioutbox.tests.consume;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import jakarta.annotation.Priority;
import jakarta.annotation.Resource;
import jakarta.interceptor.AroundInvoke;
import jakarta.interceptor.Interceptor;
import jakarta.interceptor.InvocationContext;
import jakarta.jms.Message;
import jakarta.transaction.Synchronization;
import jakarta.transaction.TransactionSynchronizationRegistry;

/** Counts the received messages by their text, and their transactions that have ended. */
@Noticed
@Interceptor
@Priority(Interceptor.Priority.LIBRARY_BEFORE - 1)
public class NoticedInterceptor {
    private static final Map<String, Integer> CAME = new ConcurrentHashMap<>();
    private static final Map<String, Integer> ENDED = new ConcurrentHashMap<>();

    @Resource(lookup = "java:comp/TransactionSynchronizationRegistry")
    TransactionSynchronizationRegistry transaction;

    static int came(String text) {
        return CAME.getOrDefault(text, 0);
    }

    static int ended(String text) {
        return ENDED.getOrDefault(text, 0);
    }

    @AroundInvoke
    Object notice(InvocationContext call) throws Exception {
        String text = ((Message) call.getParameters()[0]).getBody(String.class);
        transaction.registerInterposedSynchronization(new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                ENDED.merge(text, 1, Integer::sum);
            }
        });
        CAME.merge(text, 1, Integer::sum);
        return call.proceed();
    }
}
