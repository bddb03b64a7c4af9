package dev.cdioutbox.internal.store.cdc;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import org.junit.jupiter.api.Test;

/** What of publication and slot would lose messages, or send others. */
class CdcStateTest {
    private static final String FILTER =
            "(((application)::text = 'shop''s'::text) AND ((transport)::text = 'cdc'::text))";
    private static final Set<String> ALL = Set.of("seq", "payload", "more");

    @Test
    void completeSetupIsRight() {
        assertThat(problem("logical", true, ALL, FILTER, false, "reserved")).isNull();
        assertThat(problem("logical", true, ALL, FILTER, true, "extended")).isNull();
    }

    /** Applications may share the tables, and outboxes of one application too. */
    @Test
    void publicationHasTheMessagesOfTheApplicationAlone() {
        for (String filter : new String[] {
            null,
            "((transport)::text = 'cdc'::text)",
            "(((application)::text = 'billing'::text) AND ((transport)::text = 'cdc'::text))",
            "(" + FILTER + " OR ((application)::text = 'billing'::text))",
            "(" + FILTER + " AND ((destination)::text = 'orders'::text))"
        }) {
            assertThat(problem("logical", true, ALL, filter, true, "reserved"))
                    .contains("other rows than those WHERE (application = 'shop''s' AND transport = 'cdc')")
                    .endsWith("its condition is " + filter);
        }
    }

    @Test
    void eachMissingPartIsNamed() {
        assertThat(problem("replica", true, ALL, FILTER, true, "reserved"))
                .isEqualTo("wal_level is replica and not logical");
        assertThat(problem("logical", null, null, null, true, "reserved"))
                .isEqualTo("there is no publication 'outbox'");
        assertThat(problem("logical", true, null, null, true, "reserved")).contains("does not have the table");
        assertThat(problem("logical", true, Set.of("seq"), FILTER, true, "reserved"))
                .endsWith("lacks the columns [payload]");
        assertThat(problem("logical", false, ALL, FILTER, true, "reserved")).contains("other changes than inserts");
        assertThat(problem("logical", true, ALL, FILTER, null, null)).contains("there is no replication slot 'outbox'");
        assertThat(problem("logical", true, ALL, FILTER, false, "lost")).contains("is lost");
    }

    private static String problem(
            String walLevel,
            Boolean insertsOnly,
            Set<String> columns,
            String filter,
            Boolean active,
            String walStatus) {
        return new CdcState(walLevel, insertsOnly, columns, filter, active, walStatus, 100, 60L)
                .problem("shop's", "outbox", Set.of("seq", "payload"));
    }
}
