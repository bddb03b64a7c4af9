package dev.cdioutbox.tests.external;

import java.util.List;

import dev.cdioutbox.internal.store.KillableDatabase;
import dev.cdioutbox.internal.store.MariaDbServer;

class MariaDbIT extends KilledDatabaseContract {
    @Override
    KillableDatabase startDatabase() {
        return MariaDbServer.fresh();
    }

    /** {@code LostConnectionTest} shows why. */
    @Override
    boolean mayLoseTheDatabase() {
        return false;
    }

    @Override
    List<String> preparation() {
        return List.of("CREATE DATABASE outbox");
    }

    @Override
    String dataSource() {
        return onThePage("<dataSource(?:(?!</dataSource>).)*MariaDbDataSource.*?</dataSource>")
                .replace("localhost:3306/outbox", "localhost:" + port() + "/outbox?sslMode=disable")
                .replace("${db.password}", "");
    }
}
