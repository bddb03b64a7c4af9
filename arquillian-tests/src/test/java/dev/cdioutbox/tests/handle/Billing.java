package dev.cdioutbox.tests.handle;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.ejb.SessionContext;
import jakarta.ejb.Stateless;

import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.tests.consume.Ledger;

/** A handler that is an EJB. */
@Stateless
public class Billing {
    @EJB
    Ledger ledger;

    @Resource
    SessionContext context;

    @OutboxHandler("billing")
    public void bill(Placed placed, OutboxMessage message) {
        ledger.book("billing", placed.order() + " " + placed.step());
        if (placed.trouble().equals("marks")) {
            context.setRollbackOnly();
        }
        if (placed.trouble().equals("throws")) {
            throw new IllegalStateException("no account");
        }
    }
}
