package dev.cdioutbox.internal.store;

import java.util.ArrayList;
import java.util.List;

/**
 * The statements that make the tables as this version of the outbox wants them, or change those of an earlier one. Each may
 * be applied again: what it would make may be there already.
 *
 * @param version what this outbox works with
 * @param create makes the tables where there are none; the first statement makes the table of the versions
 * @param migrations each brings the tables from one version to the next, beginning with the first version
 */
record SchemaScripts(int version, List<String> create, List<List<String>> migrations) {
    /** The version of this outbox. It reads tables of a later one too, if that one's row says so. */
    static final int CURRENT = 1;

    static SchemaScripts of(Dialect dialect, String prefix) {
        List<List<String>> migrations = new ArrayList<>();
        for (int from = 1; from < CURRENT; from++) {
            migrations.add(SchemaFile.statements(dialect, from + "-to-" + (from + 1), prefix));
        }
        return new SchemaScripts(CURRENT, SchemaFile.statements(dialect, String.valueOf(CURRENT), prefix), migrations);
    }

    /** What is to be applied to tables of a version; 0 if there are none. */
    List<String> from(int found) {
        return found == 0 || found == version
                ? create
                : migrations.subList(found - 1, version - 1).stream()
                        .flatMap(List::stream)
                        .toList();
    }
}
