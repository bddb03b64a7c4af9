package dev.cdioutbox.tests.takeover;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import jakarta.annotation.Priority;
import jakarta.ejb.EJB;
import jakarta.ejb.Stateless;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.Initialized;
import jakarta.enterprise.event.Observes;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;

import dev.cdioutbox.tests.rollout.OldTables;
import dev.cdioutbox.tests.rollout.Sold;

/** The tables of the other outboxes, and the publisher of the one that was written by hand. */
@Stateless
public class OldWays {
    static final String AT_START = "at-start";
    static final int SALES_AT_START = 3;

    private static final Jsonb JSON = JsonbBuilder.create();
    private static final Pattern SQL = Pattern.compile("(?ms)^```sql\\n(.*?);\\n```");

    /** That of Spring Modulith 2 for H2, without its indexes. */
    private static final String EVENT_PUBLICATION = """
            CREATE TABLE event_publication (
              id UUID NOT NULL PRIMARY KEY,
              completion_date TIMESTAMP(9) WITH TIME ZONE,
              event_type VARCHAR(512) NOT NULL,
              listener_id VARCHAR(512) NOT NULL,
              publication_date TIMESTAMP(9) WITH TIME ZONE NOT NULL,
              serialized_event VARCHAR(4000) NOT NULL,
              status VARCHAR(20),
              completion_attempts INT,
              last_resubmission_date TIMESTAMP(9) WITH TIME ZONE)""";

    @EJB
    OldTables tables;

    @EJB
    Stock stock;

    /** What the old version left when it was stopped, for the take-over at the start. */
    public void leave(@Observes @Priority(1) @Initialized(ApplicationScoped.class) Object application) {
        tables.create(List.of(AT_START));
        for (String table : List.of("stock", "switch_to_outbox", "event_publication", "txno_outbox", "txno_version")) {
            tables.update("DROP TABLE IF EXISTS " + table);
        }
        tables.update("CREATE TABLE stock (nr BIGINT GENERATED ALWAYS AS IDENTITY, basket VARCHAR(36), number INT,"
                + " way VARCHAR(10))");
        tables.update("CREATE TABLE switch_to_outbox (is_on BOOLEAN)");
        tables.update("INSERT INTO switch_to_outbox VALUES (FALSE)");
        tables.update(EVENT_PUBLICATION);
        for (int sale = 1; sale <= SALES_AT_START; sale++) {
            tables.write(sold(AT_START, sale));
        }
    }

    static Sold sold(String basket, int number) {
        return new Sold(basket, number, UUID.randomUUID().toString());
    }

    /** An event with two listeners, one of which has completed. */
    public void writeByModulith(Sold sold) {
        String insert =
                "INSERT INTO event_publication (id, event_type, publication_date, serialized_event, listener_id,"
                        + " completion_date) VALUES (RANDOM_UUID(), 'com.acme.Sold', CURRENT_TIMESTAMP, ?, ";
        String event = JSON.toJson(sold);
        tables.update(insert + "'com.acme.Stock.on(com.acme.Sold)', NULL)", event);
        tables.update(insert + "'com.acme.Billing.on(com.acme.Sold)', CURRENT_TIMESTAMP)", event);
    }

    /** The publisher of the table that was written by hand. */
    public void publishByHand() {
        List<List<String>> rows =
                tables.query("SELECT nr, payload FROM old_outbox WHERE sent = 0 ORDER BY nr FETCH FIRST 20 ROWS ONLY");
        for (List<String> row : rows) {
            stock.take(JSON.fromJson(row.get(1), Sold.class), "old");
            tables.update("UPDATE old_outbox SET sent = 1 WHERE nr = ?", row.get(0));
        }
    }

    /** The answer to the query of docs/howto/coming-from.md that counts what the old way has still to do. */
    public int waiting(String heading) {
        return Integer.parseInt(tables.query(sql(heading)).get(0).get(0));
    }

    private static String sql(String heading) {
        try (InputStream file = OldWays.class.getResourceAsStream("/coming-from.md")) {
            String page = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            Matcher block = SQL.matcher(page);
            if (!block.find(page.indexOf("\n## " + heading + "\n"))) {
                throw new IllegalStateException("no SQL below " + heading);
            }
            return block.group(1);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
