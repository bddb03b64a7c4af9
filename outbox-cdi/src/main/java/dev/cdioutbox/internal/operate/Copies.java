package dev.cdioutbox.internal.operate;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.internal.capture.UuidV7;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;

/** Makes new messages of old ones. */
final class Copies {
    private Copies() {}

    static List<NewMessage> of(List<OutboxMessage> originals) {
        return originals.stream().map(Copies::copy).toList();
    }

    private static NewMessage copy(OutboxMessage original) {
        Context context = original.context();
        return new NewMessage(
                UuidV7.next(System.currentTimeMillis()),
                original.event(),
                original.body(),
                new Context(context.correlationId(), original.id().toString(), context.tenantId(), context.headers()),
                new Terms(null, null, original.terms().priority()),
                original.delivery().destination(),
                original.occurredAt());
    }
}
