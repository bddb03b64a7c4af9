package dev.cdioutbox.internal.operate;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Typed;

/** The same operations on a named outbox. A bean, so that the container adds the transactions. */
@Dependent
@Typed(NamedOutboxOperations.class)
class NamedOutboxOperations extends TransactionalOperations {}
