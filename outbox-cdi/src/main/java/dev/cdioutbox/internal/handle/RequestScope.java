package dev.cdioutbox.internal.handle;

import java.util.List;
import java.util.concurrent.Callable;

import jakarta.enterprise.context.ContextNotActiveException;
import jakarta.enterprise.context.RequestScoped;
import jakarta.enterprise.context.control.RequestContextController;
import jakarta.enterprise.context.spi.AlterableContext;
import jakarta.enterprise.context.spi.Context;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.enterprise.inject.spi.BeanManager;

/**
 * Gives each call of a handler its own request-scoped beans. A thread of the container has one request context, in which it
 * handles many messages: without this, the tenant of one message would be that of the next. Thread-safe.
 */
final class RequestScope {
    private final BeanManager manager;
    private final List<Bean<?>> beans;

    /** @param beans the request-scoped beans of the application */
    RequestScope(BeanManager manager, List<Bean<?>> beans) {
        this.manager = manager;
        this.beans = List.copyOf(beans);
    }

    <T> T during(Callable<T> call) throws Exception {
        Context ofThread;
        try {
            ofThread = manager.getContext(RequestScoped.class);
        } catch (ContextNotActiveException notOnAServer) {
            return inNew(call);
        }
        forget(ofThread);
        // The beans live on, because what is flushed at the commit may ask them for the tenant. The context of a
        // container's thread ends with the work of the thread.
        return call.call();
    }

    private <T> T inNew(Callable<T> call) throws Exception {
        RequestContextController request =
                manager.createInstance().select(RequestContextController.class).get();
        request.activate();
        try {
            return call.call();
        } finally {
            request.deactivate();
        }
    }

    /** Destroys the beans that were made in this context. */
    private void forget(Context context) {
        if (context instanceof AlterableContext alterable) {
            beans.stream().filter(bean -> context.get(bean) != null).forEach(alterable::destroy);
        }
    }
}
