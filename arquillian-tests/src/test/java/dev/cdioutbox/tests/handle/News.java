package dev.cdioutbox.tests.handle;

import jakarta.ejb.EJB;
import jakarta.enterprise.context.RequestScoped;

import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.ReceivedEvent;
import dev.cdioutbox.tests.consume.Ledger;

/** A handler that lives as long as its call. */
@RequestScoped
public class News {
    @EJB
    Ledger ledger;

    private int calls;

    @OutboxHandler(value = "news", types = "Shipped")
    void tell(ReceivedEvent shipped) {
        calls++;
        ledger.book("news", shipped.key() + " call " + calls);
    }
}
