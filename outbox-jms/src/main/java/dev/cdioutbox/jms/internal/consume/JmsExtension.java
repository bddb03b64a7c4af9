package dev.cdioutbox.jms.internal.consume;

import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Set;
import java.util.TreeSet;
import java.util.logging.Logger;

import jakarta.annotation.Priority;
import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.AfterTypeDiscovery;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.inject.spi.WithAnnotations;
import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.enterprise.util.Nonbinding;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.SameVersion;
import dev.cdioutbox.internal.transport.DeploymentFindings;

/**
 * Binds {@link CausationInterceptor} to every message-driven bean, so that the events fired there name their cause.
 * {@code @MessageDriven} itself becomes the interceptor binding. The extension cannot add a binding to the beans: Open
 * Liberty reads the bindings of message-driven beans from their classes.
 */
public class JmsExtension implements Extension {
    private static final Logger LOG = Logger.getLogger(JmsExtension.class.getName());
    private static final int FIRST = 1;
    /** After OutboxExtension, which opens the outboxes. */
    private static final int LAST = Integer.MAX_VALUE;

    private static final String LIBERTY = "com.ibm.wsspi.uow.UOWManager";
    /** With the feature mdb, Liberty shows this class to applications, because the endpoints' proxies extend it. */
    private static final String LIBERTY_MESSAGE_DRIVEN = "com.ibm.ws.ejbcontainer.mdb.MessageEndpointBase";

    private final Set<String> messageDriven = new TreeSet<>();
    private final Set<String> notInterceptable = new TreeSet<>();

    /** Checks the versions before any other code of this jar calls the other one. */
    void bind(@Observes @Priority(FIRST) BeforeBeanDiscovery discovery) {
        SameVersion.require("outbox-jms", JmsExtension.class);
        discovery
                .configureInterceptorBinding(MessageDriven.class)
                .methods()
                .forEach(member -> member.add(Nonbinding.Literal.INSTANCE));
    }

    void bind(@Observes ProcessAnnotatedType<CausationInterceptor> interceptor) {
        interceptor.configureAnnotatedType().add(new AnyMessageDriven());
    }

    /** CDI cannot intercept a bean with a final method, and the deployment would fail for the sake of information. */
    <T> void find(@Observes @WithAnnotations(MessageDriven.class) ProcessAnnotatedType<T> bean) {
        Class<T> type = bean.getAnnotatedType().getJavaClass();
        if (type.isAnnotationPresent(MessageDriven.class)) {
            messageDriven.add(type.getName());
            if (hasFinalMethod(type)) {
                notInterceptable.add(type.getName());
            }
        }
    }

    void leaveOut(@Observes AfterTypeDiscovery discovered) {
        if (!notInterceptable.isEmpty()) {
            discovered.getInterceptors().remove(CausationInterceptor.class);
            LOG.warning(OutboxCode.CAUSES_UNKNOWN.text(String.join(", ", notInterceptable)));
        }
    }

    /** Without its feature, Liberty ignores message-driven beans and logs nothing. */
    void reportIgnored(@Observes @Priority(LAST) AfterDeploymentValidation valid, BeanManager beans) {
        if (!messageDriven.isEmpty() && isPresent(LIBERTY) && !isPresent(LIBERTY_MESSAGE_DRIVEN)) {
            beans.createInstance()
                    .select(DeploymentFindings.class)
                    .get()
                    .report(OutboxCode.MESSAGE_DRIVEN_IGNORED.finding(String.join(", ", messageDriven)));
        }
    }

    /** Whether the application sees a class of the server. */
    private static boolean isPresent(String className) {
        try {
            Class.forName(className, false, JmsExtension.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException | LinkageError absent) {
            return false;
        }
    }

    private static boolean hasFinalMethod(Class<?> bean) {
        for (Class<?> type = bean; type != Object.class; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                int modifiers = method.getModifiers();
                if (Modifier.isFinal(modifiers) && !Modifier.isPrivate(modifiers) && !Modifier.isStatic(modifiers)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** All members are non-binding, so this literal matches every bean. */
    private static final class AnyMessageDriven extends AnnotationLiteral<MessageDriven> implements MessageDriven {
        private static final long serialVersionUID = 1L;

        @Override
        public String name() {
            return "";
        }

        @Override
        public Class<?> messageListenerInterface() {
            return Object.class;
        }

        @Override
        public ActivationConfigProperty[] activationConfig() {
            return new ActivationConfigProperty[0];
        }

        @Override
        public String mappedName() {
            return "";
        }

        @Override
        public String description() {
            return "";
        }
    }
}
