package dev.cdioutbox.internal.handle;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.Type;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import jakarta.ejb.Asynchronous;
import jakarta.ejb.Stateful;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.enterprise.inject.Stereotype;
import jakarta.enterprise.inject.spi.Bean;
import jakarta.json.bind.annotation.JsonbCreator;
import jakarta.transaction.Transactional;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.ReceivedEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards which methods the deployment refuses as handlers: those whose work would not be committed with their message. */
class HandlerCheckTest {

    @OutboxEvent
    record Placed(String id) {}

    @OutboxEvent(outbox = "billing")
    record Billed(String id) {}

    record Plain(String id) {}

    /** JSON-B finds out how to make it. */
    static final class Made {
        private Made() {}

        @JsonbCreator
        static Made of() {
            return new Made();
        }
    }

    static final class Unmade {
        final String id;

        Unmade(String id) {
            this.id = id;
        }
    }

    /** JSON-B does not choose between two constructors. */
    record Ambiguous(String id) {
        Ambiguous() {
            this("");
        }
    }

    static class Sound {
        @OutboxHandler("plain")
        public void plain(Placed placed) {}

        @OutboxHandler("message")
        @Transactional
        public void message(OutboxMessage message, Placed placed) {}

        @OutboxHandler(value = "received", types = "*")
        @TransactionAttribute(TransactionAttributeType.MANDATORY)
        public void received(ReceivedEvent event) {}

        @OutboxHandler(value = "made", types = "made")
        public void made(Made event) {}
    }

    @ParameterizedTest
    @ValueSource(strings = {"plain", "message", "received", "made"})
    void soundHandlersAreAccepted(String method) {
        assertThat(problems(Sound.class, method, true, Sound.class)).isEmpty();
    }

    static class Faulty {
        @OutboxHandler("default")
        void reserved(Placed placed) {}

        @OutboxHandler("a/b")
        void slash(Placed placed) {}

        @OutboxHandler("x")
        private void hidden(Placed placed) {}

        @OutboxHandler("x")
        static void shared(Placed placed) {}

        @OutboxHandler("x")
        final void last(Placed placed) {}

        @OutboxHandler("x")
        String answers(Placed placed) {
            return placed.id();
        }

        @OutboxHandler("x")
        @Asynchronous
        void async(Placed placed) {}

        @OutboxHandler("x")
        @Transactional(Transactional.TxType.REQUIRES_NEW)
        void apart(Placed placed) {}

        @OutboxHandler("x")
        void nothing() {}

        @OutboxHandler("x")
        void two(Placed placed, Billed billed) {}

        @OutboxHandler("x")
        void many(Placed placed, OutboxMessage one, OutboxMessage other) {}

        @OutboxHandler(value = "x", types = "T")
        void unmade(Unmade event) {}

        @OutboxHandler(value = "x", types = "T")
        void number(int event) {}

        @OutboxHandler(value = "x", types = "T")
        void contract(Runnable event) {}

        @OutboxHandler("x")
        void typeless(Plain event) {}

        @OutboxHandler("x")
        void received(ReceivedEvent event) {}

        @OutboxHandler(value = "x", types = "T")
        void ambiguous(Ambiguous event) {}

        @OutboxHandler(value = "x", types = "T")
        void generic(List<Placed> event) {}

        @OutboxHandler(value = "x", outbox = "shop")
        void elsewhere(Billed event) {}
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            reserved  | its name 'default' must have at most 64 visible characters
            slash     | its name 'a/b' must have at most 64 visible characters, no slash
            hidden    | it is private, static or final
            shared    | it is private, static or final
            last      | it is private, static or final
            answers   | it returns a value
            async     | it is asynchronous
            apart     | it leaves the transaction of its caller (REQUIRES_NEW)
            nothing   | it needs one parameter for the event
            two       | it needs one parameter for the event
            many      | it needs one parameter for the event
            unmade    | JSON-B cannot make a
            number    | JSON-B cannot make a int
            contract  | JSON-B cannot make a java.lang.Runnable
            ambiguous | JSON-B cannot make a
            generic   | its parameter is generic
            typeless  | has no @OutboxEvent, so it must name the event types
            received  | has no @OutboxEvent, so it must name the event types
            elsewhere | it names the outbox 'shop', but its events belong to 'billing'
            """, quoteCharacter = '`')
    void methodThatCouldNotKeepThePromiseIsRefused(String method, String problem) {
        assertThat(problems(Faulty.class, method, false, Faulty.class))
                .singleElement()
                .asString()
                .contains(problem);
    }

    interface Business {
        @OutboxHandler("z")
        void handle(Placed placed);
    }

    interface Generic<T> {
        void handle(T event);
    }

    @Test
    void methodOfAnInterfaceIsRefused() {
        assertThat(problems(Business.class, "handle", true, Business.class))
                .singleElement()
                .asString()
                .contains("it is a method of an interface");
    }

    @Test
    void businessInterfaceMayBeGeneric() {
        Type view = Implementing.class.getGenericInterfaces()[0];

        assertThat(problems(Implementing.class, "handle", true, view)).isEmpty();
    }

    static class Implementing implements Generic<Placed> {
        @Override
        @OutboxHandler("x")
        public void handle(Placed placed) {}
    }

    static class Local implements Business {
        @Override
        @OutboxHandler("x")
        public void handle(Placed placed) {}

        @OutboxHandler("y")
        public void other(Placed placed) {}
    }

    @ParameterizedTest
    @CsvSource({"handle, 0", "other, 1"})
    void methodOfAnEjbMustBeOneThatTheContainerLetsOthersCall(String method, int problems) {
        assertThat(problems(Local.class, method, true, Business.class)).hasSize(problems);
    }

    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    static class Outside {
        @OutboxHandler("x")
        public void handle(Placed placed) {}
    }

    @TransactionManagement(TransactionManagementType.BEAN)
    static class BeanManaged {
        @OutboxHandler("x")
        public void handle(Placed placed) {}
    }

    @Stereotype
    @Transactional(Transactional.TxType.REQUIRES_NEW)
    @Retention(RetentionPolicy.RUNTIME)
    @interface Service {}

    @Service
    static class OfAStereotype {
        @OutboxHandler("x")
        void handle(Placed placed) {}
    }

    @Transactional(Transactional.TxType.NEVER)
    static class OfAClass {
        @OutboxHandler("x")
        void handle(Placed placed) {}
    }

    @ParameterizedTest
    @ValueSource(classes = {OfAStereotype.class, OfAClass.class})
    void beanMustWorkInTheTransactionOfItsCaller(Class<?> type) {
        assertThat(problems(type, "handle", false, type))
                .singleElement()
                .asString()
                .contains("it leaves the transaction of its caller");
    }

    @Stateful
    static class Conversation {
        @OutboxHandler("x")
        public void handle(Placed placed) {}
    }

    @Test
    void statefulBeanIsRefused() {
        assertThat(problems(Conversation.class, "handle", true, Conversation.class))
                .singleElement()
                .asString()
                .contains("stateful");
    }

    @ParameterizedTest
    @ValueSource(classes = {Outside.class, BeanManaged.class})
    void ejbMustWorkInTheTransactionOfItsCaller(Class<?> type) {
        assertThat(problems(type, "handle", true, type))
                .singleElement()
                .asString()
                .contains("committed apart from the message");
    }

    private static List<String> problems(Class<?> type, String name, boolean isEnterpriseBean, Type view) {
        Method method = Stream.of(type.getDeclaredMethods())
                .filter(declared -> declared.getName().equals(name) && !declared.isSynthetic())
                .findFirst()
                .orElseThrow();
        return HandlerCheck.problems(new HandlerMethod(
                bean(type, view), isEnterpriseBean, method, method.getAnnotation(OutboxHandler.class)));
    }

    private static Bean<?> bean(Class<?> type, Type view) {
        return (Bean<?>) Proxy.newProxyInstance(
                Bean.class.getClassLoader(),
                new Class<?>[] {Bean.class},
                (proxy, method, arguments) -> method.getName().equals("getTypes") ? Set.of(view) : type);
    }
}
