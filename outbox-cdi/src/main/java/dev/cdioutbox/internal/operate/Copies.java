package dev.cdioutbox.internal.operate;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxMessage.Context;
import dev.cdioutbox.internal.capture.UuidV7;
import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.NewMessage.Terms;

/** Makes new messages of old ones. */
final class Copies {
    private Copies() {}

    /** @param newestFirst as they were found; the copies are in the order in which the originals were sent */
    static List<NewMessage> of(List<OutboxMessage> newestFirst) {
        List<OutboxMessage> originals = new ArrayList<>(newestFirst);
        Collections.reverse(originals);
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
