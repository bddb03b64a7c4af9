package dev.cdioutbox.jms.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

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
        assertThat(new ConsumerCheck(Good.class).names()).containsExactly("good");
        assertThat(new ConsumerCheck(GoodBelow.class).names()).containsExactly("good");
        assertThat(new ConsumerCheck(ByStereotype.class).names()).containsExactly("stereotype");
        assertThat(new ConsumerCheck(Plain.class).names()).containsExactlyInAnyOrder("one", "two");
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
        assertThat(ConsumerMethod.of(Good.class, Good.class.getMethod("helper")).tellsAnId())
                .isFalse();
    }

    @MessageDriven
    @IdempotentConsumer("x")
    @TransactionManagement(TransactionManagementType.BEAN)
    static class BeanManaged extends Good {}

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

    @Test
    void whatCannotHaveATransactionOfTheContainerIsRefused() {
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

    static class TwoIds {
        @IdempotentConsumer("x")
        public void handle(@MessageId String one, @MessageId String two) {}
    }

    static class NeverIntercepted {
        @IdempotentConsumer("x")
        public static void handle(Message message) {}
    }

    static class Nameless {
        @IdempotentConsumer(" ")
        public void handle(Message message) {}
    }

    @Test
    void whatCouldNotBeToldFromACopyIsRefused() {
        assertRefused(NoMessage.class, "none of its methods takes");
        assertRefused(NoId.class, "handle() takes no jakarta.jms.Message");
        assertRefused(TwoIds.class, "more than one parameter");
        assertRefused(NeverIntercepted.class, "static");
        assertRefused(Nameless.class, "its name ' '");
    }

    private static void assertRefused(Class<?> bean, String why) {
        assertThat(new ConsumerCheck(bean).problems())
                .as(bean.getName())
                .singleElement()
                .asString()
                .contains(why);
    }
}
