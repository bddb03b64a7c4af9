package dev.cdioutbox.jms.internal.consume;

import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

import jakarta.ejb.MessageDriven;
import jakarta.ejb.Singleton;
import jakarta.ejb.Stateful;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.transaction.Transactional;

import dev.cdioutbox.internal.consume.ConsumerRules;
import dev.cdioutbox.jms.IdempotentConsumer;

/** Checks a class with idempotent consumers at deployment: its name, its parameters, its modifiers and its transactions. */
final class ConsumerCheck {
    private static final List<Class<? extends Annotation>> ENTERPRISE_BEANS =
            List.of(MessageDriven.class, Stateless.class, Stateful.class, Singleton.class);

    private static final Set<String> WITHOUT_TRANSACTION = Set.of("NOT_SUPPORTED", "NEVER");

    private final Class<?> bean;
    private final List<ConsumerMethod> methods;

    ConsumerCheck(Class<?> bean) {
        this.bean = bean;
        IdempotentConsumer ofAll = ConsumerMethod.binding(bean);
        this.methods = methods(bean)
                .map(method -> ConsumerMethod.of(bean, method))
                .filter(m -> m.binding() != null)
                // A binding on the class applies to the methods with an id only. A binding on a method applies to that
                // method, which then fails the check without an id.
                .filter(m -> m.hasMessageId() || m.binding() != ofAll)
                .toList();
    }

    /** Whether a class is an EJB, which is a bean in any archive, and it or one of its methods has the annotation. */
    static boolean isEnterpriseConsumer(Class<?> type) {
        return isEnterpriseBean(type) && !new ConsumerCheck(type).methods.isEmpty();
    }

    private static boolean isEnterpriseBean(Class<?> type) {
        return ENTERPRISE_BEANS.stream().anyMatch(type::isAnnotationPresent);
    }

    List<ConsumerMethod> methods() {
        return methods;
    }

    /** All problems of the class; empty if there are none. */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        if (methods.isEmpty()) {
            problems.add("none of its methods takes a jakarta.jms.Message or a parameter with @MessageId");
        }
        methods.forEach(m -> check(m, problems));
        return problems.stream().distinct().toList();
    }

    private void check(ConsumerMethod consumer, List<String> problems) {
        Method method = consumer.method();
        String nameProblem = ConsumerRules.nameProblem(consumer.binding().value());
        if (nameProblem != null) {
            problems.add(nameProblem);
        }
        if (!consumer.hasMessageId()) {
            problems.add(
                    "%s() takes no jakarta.jms.Message and no parameter with @MessageId".formatted(method.getName()));
        }
        if (Modifier.isPrivate(method.getModifiers())
                || Modifier.isStatic(method.getModifiers())
                || Modifier.isFinal(method.getModifiers())) {
            problems.add(
                    "%s() is private, static or final, and so called past the container".formatted(method.getName()));
        }
        transaction(method, problems);
    }

    private void transaction(Method method, List<String> problems) {
        TransactionManagement management = bean.getAnnotation(TransactionManagement.class);
        if (management != null && management.value() == TransactionManagementType.BEAN) {
            problems.add("its transactions are bean-managed, so the message would be acknowledged apart from its work;"
                    + " take @TransactionManagement(BEAN) off");
        } else if (WITHOUT_TRANSACTION.contains(attribute(method))) {
            problems.add("%s() runs without a transaction (%s)".formatted(method.getName(), attribute(method)));
        }
    }

    /** For an EJB, the attribute of the method, or else of the class that declares it. */
    private String attribute(Method method) {
        if (isEnterpriseBean(bean)) {
            TransactionAttribute own = method.getAnnotation(TransactionAttribute.class);
            TransactionAttribute attribute =
                    own == null ? method.getDeclaringClass().getAnnotation(TransactionAttribute.class) : own;
            return attribute == null ? "" : attribute.value().name();
        }
        Transactional own = method.getAnnotation(Transactional.class);
        Transactional transactional = own == null ? bean.getAnnotation(Transactional.class) : own;
        return transactional == null ? "" : transactional.value().name();
    }

    /** The methods of the class and its superclasses, without overridden and synthetic ones. */
    private static Stream<Method> methods(Class<?> bean) {
        Map<String, Method> methods = new LinkedHashMap<>();
        for (Class<?> type = bean; type != null && type != Object.class; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                if (!method.isSynthetic()) {
                    methods.putIfAbsent(method.getName() + Arrays.toString(method.getParameterTypes()), method);
                }
            }
        }
        return methods.values().stream();
    }
}
