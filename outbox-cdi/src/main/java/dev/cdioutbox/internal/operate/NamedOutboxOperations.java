package dev.cdioutbox.internal.operate;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Typed;

import dev.cdioutbox.internal.capture.OpenOutbox;

/** The same operations on an outbox that has a name. A bean, so that they have transactions. */
@Dependent
@Typed(NamedOutboxOperations.class)
class NamedOutboxOperations extends TransactionalOperations {

    BatchedOperations on(OpenOutbox outbox) {
        store = outbox.store();
        operations = outbox.store().operations();
        config = outbox.config();
        return this;
    }
}
