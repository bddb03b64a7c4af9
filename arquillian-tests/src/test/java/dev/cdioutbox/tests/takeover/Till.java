package dev.cdioutbox.tests.takeover;

import java.sql.SQLException;
import java.util.UUID;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.transaction.Transactional;

import dev.cdioutbox.tests.rollout.OldTables;
import dev.cdioutbox.tests.rollout.Sold;

/** The business: writes each sale by the old way or by the new one. */
@ApplicationScoped
@Transactional(rollbackOn = Exception.class)
public class Till {
    @Inject
    OldTables oldTable;

    @Inject
    SwitchToOutbox switchToOutbox;

    @Inject
    Event<Sold> event;

    public void sell(String basket) throws SQLException {
        // Locks the row of the basket.
        Sold sold = new Sold(basket, oldTable.next(basket), UUID.randomUUID().toString());
        if (switchToOutbox.isOn()) {
            event.fire(sold);
        } else {
            oldTable.write(sold);
        }
    }

    public void sellByOutbox(Sold sold) {
        event.fire(sold);
    }
}
