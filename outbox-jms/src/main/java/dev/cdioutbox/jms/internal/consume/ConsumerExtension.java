package dev.cdioutbox.jms.internal.consume;

import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.logging.Logger;

import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.spi.AfterBeanDiscovery;
import jakarta.enterprise.inject.spi.AfterDeploymentValidation;
import jakarta.enterprise.inject.spi.Extension;
import jakarta.enterprise.inject.spi.ProcessAnnotatedType;
import jakarta.enterprise.inject.spi.WithAnnotations;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.consume.ConsumerRules;
import dev.cdioutbox.jms.IdempotentConsumer;

/**
 * Finds the consumers with the annotation at deployment. Refuses any that could not be idempotent, or whose outbox is
 * not configured; warns of two classes with one name.
 */
public class ConsumerExtension implements Extension {
    private static final Logger LOG = Logger.getLogger(ConsumerExtension.class.getName());

    private final List<RuntimeException> problems = new ArrayList<>();
    private final Set<String> seen = new HashSet<>();
    private final Map<String, Set<String>> beansByName = new TreeMap<>();
    private final Map<String, Set<String>> beansByOutbox = new TreeMap<>();

    <T> void discover(@Observes @WithAnnotations(IdempotentConsumer.class) ProcessAnnotatedType<T> found) {
        Class<T> bean = found.getAnnotatedType().getJavaClass();
        seen.add(bean.getName());
        if (bean.isInterface() && !bean.isAnnotation()) {
            problems.add(OutboxCode.CONSUMER_REFUSED.exception(
                    bean.getName(), "it is an interface, and classes do not inherit annotations of interfaces"));
            return;
        }
        if (bean.isAnnotation()
                || Modifier.isAbstract(bean.getModifiers())
                || bean == IdempotentConsumerInterceptor.class) {
            return;
        }
        ConsumerCheck check = new ConsumerCheck(bean);
        check.problems().forEach(p -> problems.add(OutboxCode.CONSUMER_REFUSED.exception(bean.getName(), p)));
        for (ConsumerMethod method : check.methods()) {
            put(beansByName, method.binding().value(), bean);
            put(beansByOutbox, method.binding().outbox(), bean);
        }
    }

    private static void put(Map<String, Set<String>> beans, String name, Class<?> bean) {
        beans.computeIfAbsent(name, n -> new TreeSet<>()).add(bean.getName());
    }

    void refuse(@Observes AfterBeanDiscovery discovery) {
        beansByOutbox.forEach((name, beans) -> {
            String problem = ConsumerRules.outboxProblem(name);
            if (problem != null) {
                beans.forEach(bean -> problems.add(OutboxCode.CONSUMER_REFUSED.exception(bean, problem)));
            }
        });
        problems.forEach(discovery::addDefinitionError);
    }

    void warn(@Observes AfterDeploymentValidation valid) {
        beansByName.forEach((name, beans) -> {
            if (beans.size() > 1) {
                LOG.warning(OutboxCode.CONSUMER_NAMED_TWICE.text(name, beans));
            }
        });
    }

    /** @throws dev.cdioutbox.OutboxException OBX-0505 if CDI does not intercept the calls of a consumer */
    void requireSeen(Class<?> found) {
        if (!seen.contains(found.getName()) && ConsumerCheck.isEnterpriseConsumer(found)) {
            OutboxException refusal = OutboxCode.CONSUMER_REFUSED.exception(
                    found.getName(),
                    "CDI looks for no beans where it is, so its calls are not intercepted; take bean-discovery-mode=\"none\""
                            + " out of its beans.xml");
            // Liberty's own log line only says that the application was not started.
            LOG.severe(refusal.getMessage());
            throw refusal;
        }
    }

    Set<String> names() {
        return beansByName.keySet();
    }
}
