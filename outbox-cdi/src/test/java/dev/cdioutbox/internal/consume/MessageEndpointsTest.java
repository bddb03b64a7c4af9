package dev.cdioutbox.internal.consume;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;

import org.junit.jupiter.api.Test;

/** Endpoints of message-driven beans are found by the MBean of Open Liberty. */
class MessageEndpointsTest {

    @Test
    void beansOfThisApplicationThatAreNotActiveAreFound() throws Exception {
        try (FakeEndpoints endpoints = new FakeEndpoints(
                "pausedHttpEndpoint", "shop#shop.war#Listening", "shop#shop.war#Deaf", "other#other.war#Deaf")) {
            endpoints.paused.addAll(List.of("pausedHttpEndpoint", "shop#shop.war#Deaf", "other#other.war#Deaf"));

            assertThat(MessageEndpoints.paused("shop")).containsExactly("shop#shop.war#Deaf");
            assertThat(MessageEndpoints.paused("")).containsExactly("shop#shop.war#Deaf", "other#other.war#Deaf");
        }
    }

    @Test
    void anotherServerHasNone() {
        assertThat(MessageEndpoints.paused("shop")).isEmpty();
        assertThat(MessageEndpoints.of("ShippingBean")).isNull();
    }

    @Test
    void endpointOfABeanIsNeverThatOfAnotherModule() {
        List<String> one = List.of("shop#shop.war#ShippingBean", "shop#shop.war#NewShippingBean");
        List<String> several = List.of("shop#web/a.war#Bean", "shop#b.war#Bean");

        assertThat(MessageEndpoints.choose(one, "ShippingBean", "named in web.xml"))
                .isEqualTo(one.get(0));
        assertThat(MessageEndpoints.choose(several, "Bean", "a")).isEqualTo(several.get(0));
        assertThat(MessageEndpoints.choose(several, "Bean", "named in web.xml")).isNull();
        assertThat(MessageEndpoints.choose(one, "Bean", "shop")).isNull();
    }
}
