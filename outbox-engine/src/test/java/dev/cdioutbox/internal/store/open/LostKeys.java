package dev.cdioutbox.internal.store.open;

import dev.cdioutbox.internal.store.sql.Connections;
import dev.cdioutbox.internal.store.sql.JdbcStatement;

/** Deletes the row of a blocked key, as only a person does. */
public final class LostKeys {
    private LostKeys() {}

    public static int delete(JdbcOutboxStore store, String key) {
        String delete = "DELETE FROM " + store.opened().config().tablePrefix() + "blocked_key WHERE message_key = :key";
        return new Connections(store.opened().dataSource())
                .withConnection("losing a key", connection -> JdbcStatement.of(connection, delete)
                        .set("key", key)
                        .update());
    }
}
