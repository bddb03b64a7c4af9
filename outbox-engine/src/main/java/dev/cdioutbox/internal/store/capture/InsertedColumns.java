package dev.cdioutbox.internal.store.capture;

import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.sql.MessageColumn;
import dev.cdioutbox.internal.store.sql.NewRow;

/** The columns that an INSERT of some messages names: those that at least one of the messages fills. */
record InsertedColumns(List<MessageColumn> columns) {

    /** Leaves out what is null in each row, because a column costs the database time even then. */
    static InsertedColumns of(List<NewRow> rows) {
        return new InsertedColumns(MessageColumn.INSERTED.stream()
                .filter(column -> rows.stream().anyMatch(column::isFilledBy))
                .toList());
    }

    String names() {
        return MessageColumn.names(columns);
    }

    /** The values of one row, whose parameters {@link #bind} sets. */
    String values(Dialect dialect) {
        return columns.stream().map(column -> column.inserted(dialect)).collect(Collectors.joining(", "));
    }

    /**
     * Binds the values of rows, from the first parameter.
     *
     * @return the number of the parameter after these rows
     */
    int bind(PreparedStatement insert, List<NewRow> rows, Dialect dialect) throws SQLException {
        int parameter = 1;
        for (NewRow row : rows) {
            for (MessageColumn column : columns) {
                parameter = column.bind(insert, parameter, row, dialect);
            }
        }
        return parameter;
    }
}
