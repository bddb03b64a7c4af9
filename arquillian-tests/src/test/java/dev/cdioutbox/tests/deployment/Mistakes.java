package dev.cdioutbox.tests.deployment;

import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.spi.OutboxSerializer;

/** The mistakes of programmers, each for a deployment of its own. */
public final class Mistakes {
    private Mistakes() {}

    record Plain(String id) {}

    @OutboxEvent(destination = "nowhere")
    record ToNowhere(String id) {}

    @OutboxEvent(outbox = "elsewhere")
    record ToNoOutbox(String id) {}

    @OutboxEvent
    record TwoKeys(@OutboxKey String order, @OutboxKey String customer) {}

    @OutboxEvent(type = "same")
    record OneName(String id) {}

    @OutboxEvent(type = "same")
    record SameName(String id) {}

    @ApplicationScoped
    static class InjectsToNowhere {
        @Inject
        @OutboxEvent(destination = "nowhere")
        Event<Plain> plain;
    }

    @ApplicationScoped
    static class SecondBranch {
        @Resource(name = "jdbc/own", lookup = "java:comp/DefaultDataSource", shareable = false)
        DataSource own;
    }

    @ApplicationScoped
    public static class FirstSerializer implements OutboxSerializer {
        @Override
        public String contentType(Object event) {
            return "text/plain";
        }

        @Override
        public OutboxPayload serialize(Object event) {
            return OutboxPayload.text("text");
        }
    }

    @ApplicationScoped
    static class SecondSerializer extends FirstSerializer {}
}
