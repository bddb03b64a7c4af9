package dev.cdioutbox.internal.operate.console;

import java.util.List;
import java.util.logging.Logger;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxPayload;
import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.code.Reported;
import dev.cdioutbox.internal.deadletter.DeadLetter;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.internal.store.StoredMessage;
import dev.cdioutbox.spi.PayloadMask;

/** Masks payloads before they leave the server, by the application's beans and by the configured JSON pointers. */
@ApplicationScoped
class PayloadMasks {
    private static final Logger LOG = Logger.getLogger(PayloadMasks.class.getName());

    /** What is shown in the place of a payload that a mask could not read, or wanted to hide. */
    static final OutboxPayload HIDDEN = OutboxPayload.text(JsonMask.MASKED);

    @Inject
    Outboxes outboxes;

    List<Bean> beans = List.of();

    private final Reported<String> failing = new Reported<>();

    /** Once: a dependent bean of each request would stay in memory. */
    @Inject
    void found(Instance<PayloadMask> all) {
        beans = all.handlesStream()
                .map(each -> new Bean(each.getBean().getBeanClass().getName(), each.get()))
                .toList();
    }

    /** The payload is null if the user may not see it: no mask is called then. */
    OutboxMessage masked(OutboxMessage message) {
        OutboxMessage.Body body = message.body();
        if (body.payload() == null) {
            return message;
        }
        OutboxPayload shown = masked(message.event().type(), body.contentType(), body.payload());
        return shown == body.payload()
                ? message
                : new StoredMessage(
                        message.sequence(),
                        message.id(),
                        message.event(),
                        new StoredMessage.Body(body.contentType(), shown, body.bytes()),
                        message.context(),
                        message.terms(),
                        message.delivery(),
                        message.occurredAt(),
                        message.createdAt());
    }

    /** A letter in a list has no payload, nor has one of a user who may not see it. */
    DeadLetter masked(DeadLetter letter) {
        if (letter.text() == null) {
            return letter;
        }
        OutboxPayload shown =
                masked(letter.type(), letter.properties().get("contentType"), OutboxPayload.text(letter.text()));
        return letter.withText(shown.isBinary() ? null : shown.text());
    }

    OutboxPayload masked(String eventType, String contentType, OutboxPayload payload) {
        if (payload.isErased()) {
            return payload;
        }
        OutboxPayload shown = payload;
        for (Bean bean : beans) {
            shown = masked(bean, eventType, contentType, shown);
            if (shown == null) {
                return HIDDEN;
            }
        }
        List<String> pointers = pointers();
        if (pointers.isEmpty()) {
            return shown;
        }
        return shown.isBinary()
                ? HIDDEN
                : JsonMask.of(pointers)
                        .masked(shown.text())
                        .map(OutboxPayload::text)
                        .orElse(HIDDEN);
    }

    /** Of all outboxes: each of them may show the dead letters of another one. */
    private List<String> pointers() {
        return outboxes.all().stream()
                .flatMap(outbox -> outbox.config().current().console().mask().stream())
                .distinct()
                .toList();
    }

    /** Null if all of the payload is to be hidden. */
    private OutboxPayload masked(Bean bean, String eventType, String contentType, OutboxPayload payload) {
        try {
            OutboxPayload shown = bean.mask().mask(eventType, contentType, payload);
            failing.end(bean.name());
            return shown;
        } catch (Throwable failure) {
            // A mask may throw what no method declares. The container's page would show the exception, with its text,
            // to anybody.
            if (failure instanceof VirtualMachineError machine && !(failure instanceof StackOverflowError)) {
                throw machine;
            }
            if (failing.begin(bean.name())) {
                // Not its text, which may quote the payload.
                LOG.warning(OutboxCode.MASK_FAILED.text(
                        bean.name(), eventType, failure.getClass().getName()));
            }
            return null;
        }
    }

    /** @param name of its class, which a proxy does not tell */
    record Bean(String name, PayloadMask mask) {}
}
