package dev.cdioutbox.tests.takeover;

import java.sql.ResultSet;

/** What another outbox has not sent yet. The column {@code id} of its rows is the parameter of the delete. */
public record OldRows(String select, String delete, Reader reader) {

    /** Makes the event of a row. */
    public interface Reader {
        Object event(ResultSet row) throws Exception;
    }
}
