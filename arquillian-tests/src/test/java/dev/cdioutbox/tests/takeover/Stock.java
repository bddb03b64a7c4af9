package dev.cdioutbox.tests.takeover;

import java.util.List;

import jakarta.ejb.Stateless;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.tests.rollout.OldTables;
import dev.cdioutbox.tests.rollout.Sold;

/** Where both ways lead: rows in the order in which the sales have arrived. */
@Stateless
public class Stock {
    static final String TAKE = "INSERT INTO stock (basket, number, way) VALUES (?, ?, ?)";

    @Inject
    OldTables tables;

    @OutboxHandler("stock")
    public void take(Sold sold) {
        take(sold, "outbox");
    }

    public void take(Sold sold, String way) {
        tables.update(TAKE, sold.basket(), String.valueOf(sold.number()), way);
    }

    /** The numbers of the sales of a basket. */
    public List<Integer> taken(String basket) {
        return tables.query("SELECT number FROM stock WHERE basket = ? ORDER BY nr", basket).stream()
                .map(row -> Integer.valueOf(row.get(0)))
                .toList();
    }
}
