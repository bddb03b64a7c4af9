package dev.cdioutbox.jms.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.reflect.Method;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import jakarta.ejb.MessageDriven;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.ejb.TransactionManagement;
import jakarta.ejb.TransactionManagementType;
import jakarta.jms.Message;
import jakarta.jms.TextMessage;
import jakarta.transaction.Transactional;

import dev.cdioutbox.jms.IdempotentConsumer;
import dev.cdioutbox.jms.MessageId;
import org.junit.jupiter.api.Test;

/** A consumer that could not be idempotent has a problem that names the reason. */
class ConsumerCheckTest {

    @MessageDriven
    @IdempotentConsumer("good")
    static class Good {
        public void onMessage(Message message) {}

        public void helper() {}
    }

    static class GoodBelow extends Good {}

    @Retention(RetentionPolicy.RUNTIME)
    @IdempotentConsumer("stereotype")
    @interface Stereotyped {}

    @Stereotyped
    static class ByStereotype {
        public long onText(String other, TextMessage message) {
            return 1;
        }
    }

    static class Plain {
        @IdempotentConsumer("one")
        public boolean one(@MessageId Object id) {
            return true;
        }

        @IdempotentConsumer("two")
        public String two(Message message, @MessageId String id) {
            return id;
        }

        public void three(Message message) {}
    }

    @Test
    void goodConsumersHaveNoProblem() {
        for (Class<?> good : new Class<?>[] {Good.class, GoodBelow.class, ByStereotype.class, Plain.class}) {
            assertThat(new ConsumerCheck(good).problems()).as(good.getName()).isEmpty();
        }
        assertThat(names(Good.class)).containsExactly("good");
        assertThat(names(GoodBelow.class)).containsExactly("good");
        assertThat(names(ByStereotype.class)).containsExactly("stereotype");
        assertThat(names(Plain.class)).containsExactlyInAnyOrder("one", "two");
    }

    @MessageDriven
    static class NoConsumer {
        public void onMessage(Message message) {}
    }

    /** In an archive without discovery, other classes are no beans, and a bean elsewhere may extend them. */
    @Test
    void enterpriseBeansAreConsumersWhereverTheyAre() {
        assertThat(ConsumerCheck.isEnterpriseConsumer(Good.class)).isTrue();
        assertThat(ConsumerCheck.isEnterpriseConsumer(NeverInside.class)).isTrue();
        assertThat(ConsumerCheck.isEnterpriseConsumer(NoConsumer.class)).isFalse();
        assertThat(ConsumerCheck.isEnterpriseConsumer(GoodBelow.class)).isFalse();
        assertThat(ConsumerCheck.isEnterpriseConsumer(Plain.class)).isFalse();
    }

    @Test
    void markedParameterGoesBeforeTheMessage() throws Exception {
        ConsumerMethod two = ConsumerMethod.of(Plain.class, Plain.class.getMethod("two", Message.class, String.class));

        assertThat(two.parameter()).isEqualTo(1);
        assertThat(two.nothing()).isNull();
        assertThat(ConsumerMethod.of(Plain.class, Plain.class.getMethod("one", Object.class))
                        .nothing())
                .isEqualTo(false);
        assertThat(ConsumerMethod.of(
                                ByStereotype.class,
                                ByStereotype.class.getMethod("onText", String.class, TextMessage.class))
                        .nothing())
                .isEqualTo(0L);
        assertThat(ConsumerMethod.of(Good.class, Good.class.getMethod("helper")).hasMessageId())
                .isFalse();
    }

    interface Handler<T> {
        void handle(int times, T what);
    }

    @IdempotentConsumer("generic")
    static class ThroughAnInterface implements Handler<Message> {
        @Override
        public void handle(int times, Message message) {}

        public void handle(int times, String text) {}
    }

    /** The interceptor would call an unrecognized method for each copy. */
    @Test
    void messageIsFoundBehindAGenericInterface() throws Exception {
        Method bridge = ThroughAnInterface.class.getMethod("handle", int.class, Object.class);

        assertThat(bridge.isBridge()).isTrue();
        assertThat(ConsumerMethod.of(ThroughAnInterface.class, bridge).parameter())
                .isEqualTo(1);
        assertThat(new ConsumerCheck(ThroughAnInterface.class).problems()).isEmpty();
    }

    static class MarkedThroughAnInterface implements Handler<String> {
        @Override
        @IdempotentConsumer("marked")
        public void handle(int times, @MessageId String id) {}
    }

    static class Inherits extends MarkedAbove implements Handler<String> {}

    static class MarkedAbove {
        @IdempotentConsumer("inherited")
        public void handle(int times, @MessageId String id) {}
    }

    /** Some compilers do not copy annotations to the bridge, so the bridge's own annotations are not enough. */
    @Test
    void annotationsAreThoseOfTheMethodBehindTheBridge() throws Exception {
        for (Class<?> bean : new Class<?>[] {MarkedThroughAnInterface.class, Inherits.class}) {
            Method bridge = bean.getMethod("handle", int.class, Object.class);

            assertThat(bridge.isBridge()).as(bean.getName()).isTrue();
            assertThat(ConsumerMethod.of(bean, bridge).method())
                    .isEqualTo(bean.getMethod("handle", int.class, String.class));
        }
    }

    static class MethodThroughAnInterface implements Handler<Message> {
        @Override
        @IdempotentConsumer("generic")
        public void handle(int times, Message message) {}
    }

    @IdempotentConsumer("lambda")
    static class WithALambda {
        public void handle(Message message) {
            Predicate<Message> nothing = m -> m == null;
            nothing.test(message);
        }
    }

    static class Below extends Plain {
        public void four(Message message, String id) {}
    }

    static class Overrides extends NeverInside {
        @Override
        public void onMessage(Message message) {}
    }

    @Test
    void methodsAreThoseThatAreCalled() {
        assertThat(new ConsumerCheck(MethodThroughAnInterface.class).problems())
                .as("the bridge is none")
                .isEmpty();
        assertThat(new ConsumerCheck(WithALambda.class).problems())
                .as("what the compiler made is none")
                .isEmpty();
        assertThat(names(Below.class)).containsExactlyInAnyOrder("one", "two");
        assertRefused(Overrides.class, "none of its methods");
    }

    @MessageDriven
    @IdempotentConsumer("x")
    @TransactionManagement(TransactionManagementType.BEAN)
    static class BeanManaged extends Good {
        public void onMessage(Message message, String other) {}
    }

    @MessageDriven
    @TransactionManagement(TransactionManagementType.CONTAINER)
    static class ContainerManaged extends Good {}

    @MessageDriven
    @IdempotentConsumer("x")
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    static class Outside {
        public void onMessage(Message message) {}
    }

    @Stateless
    static class NeverInside {
        @IdempotentConsumer("x")
        @TransactionAttribute(TransactionAttributeType.NEVER)
        public void onMessage(Message message) {}
    }

    @Transactional(Transactional.TxType.NOT_SUPPORTED)
    static class Suspended {
        @IdempotentConsumer("x")
        public void onMessage(Message message) {}
    }

    @Stateless
    @TransactionAttribute(TransactionAttributeType.REQUIRED)
    static class InheritsOutside extends Outside {}

    @Stateless
    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    static class InheritsInside extends Good {}

    /** In Jakarta Enterprise Beans, an attribute on a class applies to the methods that this class declares. */
    @Test
    void inheritedMethodHasTheAttributeOfItsOwnClass() {
        assertRefused(InheritsOutside.class, "onMessage() runs without a transaction (NOT_SUPPORTED)");
        assertThat(new ConsumerCheck(InheritsInside.class).problems()).isEmpty();
    }

    @Test
    void whatCannotHaveATransactionOfTheContainerIsRefused() {
        assertThat(new ConsumerCheck(ContainerManaged.class).problems()).isEmpty();
        assertRefused(BeanManaged.class, "bean-managed");
        assertRefused(Outside.class, "onMessage() runs without a transaction (NOT_SUPPORTED)");
        assertRefused(NeverInside.class, "onMessage() runs without a transaction (NEVER)");
        assertRefused(Suspended.class, "onMessage() runs without a transaction (NOT_SUPPORTED)");
    }

    @Transactional(Transactional.TxType.NOT_SUPPORTED)
    static class InsideAfterAll {
        @IdempotentConsumer("x")
        @Transactional
        public void onMessage(Message message) {}
    }

    @Test
    void methodSaysMoreThanItsClass() {
        assertThat(new ConsumerCheck(InsideAfterAll.class).problems()).isEmpty();
    }

    @IdempotentConsumer("x")
    static class NoMessage {
        public void handle(String text) {}
    }

    static class NoId {
        @IdempotentConsumer("x")
        public void handle(String text) {}
    }

    static class NeverIntercepted {
        @IdempotentConsumer("x")
        public static void handle(Message message) {}
    }

    static class Nameless {
        @IdempotentConsumer(" ")
        public void handle(Message message) {}
    }

    private static final String LONGEST = "0123456789012345678901234567890123456789012345678901234567890123";

    static class AsLongAsMayBe {
        @IdempotentConsumer(LONGEST)
        public void handle(Message message) {}
    }

    static class TooLong {
        @IdempotentConsumer(LONGEST + "4")
        public void handle(Message message) {}
    }

    static class Hidden {
        @IdempotentConsumer("x")
        private void handle(Message message) {}
    }

    static class Sealed {
        @IdempotentConsumer("x")
        public final void handle(Message message) {}
    }

    @Test
    void messageIndistinguishableFromACopyIsRefused() {
        assertRefused(NoMessage.class, "none of its methods takes");
        assertRefused(NoId.class, "handle() takes no jakarta.jms.Message");
        assertRefused(NeverIntercepted.class, "static");
        assertRefused(Nameless.class, "its name ' '");
        assertRefused(TooLong.class, "must have 1 to 64 characters");
        assertRefused(Hidden.class, "handle() is private, static or final");
        assertRefused(Sealed.class, "handle() is private, static or final");
        assertThat(new ConsumerCheck(AsLongAsMayBe.class).problems()).isEmpty();
    }

    private static void assertRefused(Class<?> bean, String why) {
        assertThat(new ConsumerCheck(bean).problems())
                .as(bean.getName())
                .singleElement()
                .asString()
                .contains(why);
    }

    private static Set<String> names(Class<?> bean) {
        return new ConsumerCheck(bean)
                .methods().stream().map(method -> method.binding().value()).collect(Collectors.toSet());
    }
}
