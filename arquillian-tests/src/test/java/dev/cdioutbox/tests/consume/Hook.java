package dev.cdioutbox.tests.consume;

import jakarta.ejb.EJB;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;
import jakarta.jms.JMSException;
import jakarta.jms.Message;
import jakarta.transaction.Transactional;

import dev.cdioutbox.jms.IdempotentConsumer;
import dev.cdioutbox.jms.MessageId;

/** A bean whose callers pass a message id. */
@ApplicationScoped
public class Hook {
    @EJB
    Ledger ledger;

    @Inject
    Hook itself;

    @Transactional
    @IdempotentConsumer("hook")
    public int call(String note, @MessageId String id) {
        ledger.book("hook", note);
        return 1;
    }

    /** Takes a JMS message, though the bean is not message-driven. */
    @Transactional
    @IdempotentConsumer("hook")
    public boolean take(Message message) throws JMSException {
        ledger.book("hook", message.getBody(String.class));
        return true;
    }

    /** Calls the same consumer for the same message, as a part of its work. */
    @Transactional
    @IdempotentConsumer("hook")
    public int callThrough(String note, @MessageId String id) {
        return 10 + itself.call(note, id);
    }

    /** Calls the same consumer in a new transaction, which cannot see the inbox row of the first one. */
    @Transactional
    @IdempotentConsumer("hook")
    public void callApart(String note, @MessageId String id) {
        ledger.book("hook", note);
        itself.callInNew(note, id);
    }

    @Transactional(Transactional.TxType.REQUIRES_NEW)
    @IdempotentConsumer("hook")
    public int callInNew(String note, @MessageId String id) {
        return call(note, id);
    }

    /** Throws a checked exception. Jakarta Transactions alone would let the transaction commit. */
    @Transactional
    @IdempotentConsumer("hook")
    public void fail(String note, @MessageId String id) throws Refused {
        ledger.book("hook", note);
        throw new Refused();
    }

    @IdempotentConsumer("hook")
    public void outside(@MessageId String id) {
        ledger.book("hook", id);
    }

    static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;
    }
}
