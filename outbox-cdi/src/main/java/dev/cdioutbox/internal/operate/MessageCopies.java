package dev.cdioutbox.internal.operate;

import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;

/** Creates new messages from old ones. */
final class MessageCopies {
    private MessageCopies() {}

    static List<NewMessage> of(List<OutboxMessage> originals, CopyIdSource ids) {
        return originals.stream().map(original -> copy(original, ids)).toList();
    }

    private static NewMessage copy(OutboxMessage original, CopyIdSource ids) {
        Context context = original.context();
        return new NewMessage(
                ids.of(original.id()),
                original.event(),
                original.body(),
                new Context(context.correlationId(), original.id().toString(), context.tenantId(), context.headers()),
                new Terms(null, null, original.terms().priority()),
                original.delivery().destination(),
                original.occurredAt());
    }
}
