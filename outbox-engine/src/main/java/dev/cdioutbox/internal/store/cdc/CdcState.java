package dev.cdioutbox.internal.store.cdc;

import java.util.Set;
import java.util.TreeSet;

/**
 * What the database says of change data capture. Positions are in bytes of the write-ahead log.
 *
 * @param insertsOnly whether the publication has inserts and nothing else; null if there is no publication
 * @param columns the columns of the messages' table that it has; null if it does not have the table
 * @param filter the condition on its rows, as the database writes it; null if there is none
 * @param active whether somebody reads the slot; null if there is no slot
 * @param walStatus whether the log still has what the slot needs; null if there is no slot
 * @param written the end of the log
 * @param confirmed up to where the reader has confirmed it; null if there is no slot
 */
public record CdcState(
        String walLevel,
        Boolean insertsOnly,
        Set<String> columns,
        String filter,
        Boolean active,
        String walStatus,
        long written,
        Long confirmed) {
    /**
     * Why messages would be lost, or others sent.
     *
     * @param application whose messages the publication has to have, and no others
     * @param name of publication and slot
     * @param needed the columns of which messages are made
     * @return null if nothing is wrong
     */
    public String problem(String application, String name, Set<String> needed) {
        if (!walLevel.equals("logical")) {
            return "wal_level is " + walLevel + " and not logical";
        }
        String publication = "the publication '" + name + "' ";
        if (insertsOnly == null) {
            return "there is no publication '" + name + "'";
        }
        if (columns == null) {
            return publication + "does not have the table of messages";
        }
        Set<String> missing = new TreeSet<>(needed);
        missing.removeAll(columns);
        if (!missing.isEmpty()) {
            return publication + "lacks the columns " + missing;
        }
        if (!insertsOnly) {
            return publication + "also has other changes than inserts";
        }
        String rows = "application = " + quoted(application) + " AND transport = 'cdc'";
        if (filter == null || !bare(filter).equals(bare(rows))) {
            return publication + "has other rows than those WHERE (" + rows + "): its condition is " + filter;
        }
        return ofSlot(name);
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "''") + "'";
    }

    /** The database writes a condition with more parentheses, and with its types. */
    private static String bare(String condition) {
        return condition.replace("::text", "").replaceAll("[()]", "");
    }

    private String ofSlot(String name) {
        if (active == null) {
            return "there is no replication slot '" + name + "' in this database";
        }
        return isLost()
                ? "the replication slot '" + name + "' is lost: the database has removed what it had to send"
                : null;
    }

    private boolean isLost() {
        return walStatus == null || walStatus.equals("lost");
    }

    /** What is written and not confirmed, in bytes; without a slot, everything. */
    public long lag() {
        return confirmed == null ? written : Math.max(0, written - confirmed);
    }
}
