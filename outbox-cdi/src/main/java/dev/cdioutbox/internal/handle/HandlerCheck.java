package dev.cdioutbox.internal.handle;

import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Constructor;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import jakarta.transaction.Transactional;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig;
import dev.cdioutbox.internal.config.OutboxConfig;

/**
 * Checks a handler at deployment: its name, its parameters and its transaction. The annotations of optional features are compared
 * by their names, since their classes may be absent.
 */
final class HandlerCheck {
    private static final Set<String> RESERVED =
            Set.of(OutboxConfig.DEFAULT_DESTINATION, DestinationConfig.LOCAL, DispatcherConfig.DISCARD);

    private static final Set<String> LEAVING_THE_TRANSACTION = Set.of("REQUIRES_NEW", "NOT_SUPPORTED", "NEVER");

    private static final Set<String> ASYNCHRONOUS = Set.of(
            "jakarta.ejb.Asynchronous",
            "jakarta.enterprise.concurrent.Asynchronous",
            "org.eclipse.microprofile.faulttolerance.Asynchronous");

    private static final String STATEFUL = "jakarta.ejb.Stateful";
    private static final String TRANSACTION_ATTRIBUTE = "jakarta.ejb.TransactionAttribute";
    private static final String TRANSACTION_MANAGEMENT = "jakarta.ejb.TransactionManagement";

    private final HandlerMethod handler;
    private final Method method;
    private final Class<?> bean;
    private final List<String> problems = new ArrayList<>();

    private HandlerCheck(HandlerMethod handler) {
        this.handler = handler;
        this.method = handler.method();
        this.bean = handler.bean().getBeanClass();
    }

    /** Why a method cannot be a handler, as clauses; empty if it can. */
    static List<String> problems(HandlerMethod handler) {
        HandlerCheck check = new HandlerCheck(handler);
        check.name();
        check.call();
        check.transaction();
        check.parameters();
        return check.problems;
    }

    private void name() {
        String name = handler.name();
        if (!DestinationConfig.isName(name) || RESERVED.contains(name)) {
            problems.add("its name '%s' must have at most 64 visible characters, no slash, and be none of %s"
                    .formatted(name, RESERVED.stream().sorted().toList()));
        }
    }

    private void call() {
        int modifiers = method.getModifiers();
        if (method.getDeclaringClass().isInterface()) {
            problems.add("it is a method of an interface: annotate that of the class");
        } else if (Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            problems.add("it is private, static or final, and so called past the container");
        } else if (handler.view().isEmpty()) {
            problems.add(
                    "the container lets nobody call it: make it public, and a method of a business interface if the bean has some");
        }
        if (method.getReturnType() != void.class) {
            problems.add("it returns a value, which nobody would get");
        }
        if (names(bean).anyMatch(STATEFUL::equals)) {
            problems.add("its bean is stateful, and each call would get a new one");
        }
        if (Stream.concat(Stream.of(method, method.getDeclaringClass()), ofBean())
                .flatMap(HandlerCheck::names)
                .anyMatch(ASYNCHRONOUS::contains)) {
            problems.add("it is asynchronous, so its work would not be part of its transaction");
        }
    }

    /** The class of the bean, and its stereotypes. */
    private Stream<AnnotatedElement> ofBean() {
        return Stream.concat(
                Stream.of(bean), Arrays.stream(bean.getAnnotations()).map(Annotation::annotationType));
    }

    private void transaction() {
        if ("BEAN".equals(value(bean, TRANSACTION_MANAGEMENT))) {
            problems.add(
                    "the transactions of its bean are bean-managed, so its work would be committed apart from the message");
        } else if (LEAVING_THE_TRANSACTION.contains(attribute())) {
            problems.add(
                    "it leaves the transaction of its caller (%s), so its work would be committed apart from the message"
                            .formatted(attribute()));
        }
    }

    /** For an EJB, the attribute of the method, or else of the class that declares it. */
    private String attribute() {
        if (handler.isEnterpriseBean()) {
            String own = value(method, TRANSACTION_ATTRIBUTE);
            String inherited = value(method.getDeclaringClass(), TRANSACTION_ATTRIBUTE);
            return own != null ? own : inherited != null ? inherited : "";
        }
        return Stream.concat(Stream.of(method), ofBean())
                .map(element -> element.getAnnotation(Transactional.class))
                .filter(Objects::nonNull)
                .findFirst()
                .map(transactional -> transactional.value().name())
                .orElse("");
    }

    private void parameters() {
        if (handler.eventClasses().size() != 1 || method.getParameterCount() > 2) {
            problems.add("it needs one parameter for the event, and may have another one of the type OutboxMessage");
            return;
        }
        if (!Arrays.stream(method.getGenericParameterTypes()).allMatch(Class.class::isInstance)) {
            problems.add("its parameter is generic, and JSON-B would not know of what");
            return;
        }
        Class<?> event = handler.eventClass();
        OutboxEvent described = handler.event();
        if (event != ReceivedEvent.class && !isReadable(event)) {
            problems.add(
                    "JSON-B cannot make a %s of a payload; it needs a record with one constructor, or a class with one without parameters"
                            .formatted(event.getName()));
        }
        if (handler.annotation().types().length == 0 && described == null) {
            problems.add(
                    "its parameter %s has no @OutboxEvent, so it must name the event types".formatted(event.getName()));
        }
        String outbox = handler.annotation().outbox();
        if (!outbox.isEmpty() && described != null && !outbox.equals(HandlerMethod.outboxOf(described))) {
            problems.add("it names the outbox '%s', but its events belong to '%s'"
                    .formatted(outbox, HandlerMethod.outboxOf(described)));
        }
    }

    /** An annotation of JSON-B may say how a class is made. */
    private static boolean isReadable(Class<?> type) {
        if (names(type).anyMatch(name -> name.startsWith("jakarta.json.bind."))
                || type.getName().startsWith("jakarta.json.")
                || type.getName().startsWith("java.util.")) {
            return true;
        }
        boolean isInner = type.isMemberClass() && !Modifier.isStatic(type.getModifiers());
        return !type.isPrimitive()
                && !type.isArray()
                && !type.isEnum()
                && !Modifier.isAbstract(type.getModifiers())
                && !isInner
                && (hasItsConstructor(type)
                        || Stream.of(type.getDeclaredConstructors(), type.getDeclaredMethods())
                                .flatMap(Arrays::stream)
                                .anyMatch(HandlerCheck::isCreator));
    }

    /** JSON-B does not choose among the constructors of a record. */
    private static boolean hasItsConstructor(Class<?> type) {
        Constructor<?>[] constructors = type.getDeclaredConstructors();
        return type.isRecord()
                ? constructors.length == 1
                : Arrays.stream(constructors).anyMatch(HandlerCheck::canBeCalled);
    }

    private static boolean canBeCalled(Constructor<?> constructor) {
        return constructor.getParameterCount() == 0 && !Modifier.isPrivate(constructor.getModifiers());
    }

    private static boolean isCreator(AnnotatedElement member) {
        return names(member).anyMatch("jakarta.json.bind.annotation.JsonbCreator"::equals);
    }

    private static Stream<String> names(AnnotatedElement element) {
        return Arrays.stream(element.getAnnotations())
                .map(Annotation::annotationType)
                .map(Class::getName);
    }

    /** The text of the value of an annotation; null if it is not there. */
    private static String value(AnnotatedElement element, String annotation) {
        for (Annotation found : element.getAnnotations()) {
            if (found.annotationType().getName().equals(annotation)) {
                try {
                    return found.annotationType()
                            .getMethod("value")
                            .invoke(found)
                            .toString();
                } catch (ReflectiveOperationException e) {
                    throw new IllegalStateException(annotation, e);
                }
            }
        }
        return null;
    }
}
