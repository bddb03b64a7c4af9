package dev.cdioutbox.jms.internal;

import jakarta.ejb.ActivationConfigProperty;
import jakarta.ejb.MessageDriven;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.BeforeBeanDiscovery;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.enterprise.util.Nonbinding;

/**
 * Lets every message-driven bean be known while it handles a message, so that what it fires names its cause:
 * {@code @MessageDriven} itself becomes the binding of the interceptor. A binding that is added to the beans would do, but
 * Open Liberty reads the bindings of message-driven beans from their classes.
 */
public class JmsExtension implements Extension {

    void bind(@Observes BeforeBeanDiscovery discovery) {
        discovery
                .configureInterceptorBinding(MessageDriven.class)
                .methods()
                .forEach(member -> member.add(Nonbinding.Literal.INSTANCE));
    }

    void bind(@Observes ProcessAnnotatedType<CausationInterceptor> interceptor) {
        interceptor.configureAnnotatedType().add(new AnyMessageDriven());
    }

    /** All of its members are non-binding, so it stands for every bean. */
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
