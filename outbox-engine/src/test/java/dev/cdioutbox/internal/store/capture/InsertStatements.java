package dev.cdioutbox.internal.store.capture;

import java.util.Map;

import dev.cdioutbox.internal.store.dialect.SupportedDatabases;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.Sql;

/** Shows the statements that insert messages to tests of other packages: for one message that fills each column. */
public final class InsertStatements {
    private static final InsertedColumns ALL = new InsertedColumns(MessageColumn.INSERTED);

    private InsertStatements() {}

    /** By their names. */
    public static Map<String, String> of(Sql sql) {
        if (sql.dialect() == SupportedDatabases.POSTGRESQL) {
            PostgresqlInsert insert = new PostgresqlInsert(sql);
            return Map.of(
                    "PostgresqlInsert.withQueueRows", insert.withQueueRows(ALL, 1),
                    "PostgresqlInsert.withDeliveries", insert.withDeliveries(ALL, 1));
        }
        TwoStepInsert insert = new TwoStepInsert(sql);
        return Map.of("TwoStepInsert.messages", insert.messages(ALL), "TwoStepInsert.queueRows", insert.queueRows(1));
    }
}
