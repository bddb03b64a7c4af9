package dev.cdioutbox.tests.external;

import java.util.List;

import dev.cdioutbox.internal.store.KillableDatabase;
import dev.cdioutbox.internal.store.MySqlServer;

class MySqlIT extends KilledDatabaseContract {
    @Override
    KillableDatabase startDatabase() {
        return MySqlServer.fresh();
    }

    @Override
    boolean mayLoseTheDatabase() {
        return true;
    }

    @Override
    List<String> preparation() {
        return List.of(
                "CREATE DATABASE outbox",
                "CREATE USER outbox",
                "GRANT ALL ON outbox.* TO outbox",
                onThePage("`(GRANT XA_RECOVER_ADMIN [^`]+)`"));
    }

    @Override
    String dataSource() {
        return onThePage("<dataSource(?:(?!</dataSource>).)*MysqlXADataSource.*?</dataSource>")
                .replace("localhost:3306", "127.0.0.1:" + port())
                .replace("outbox\" user", "outbox?sslMode=DISABLED&amp;allowPublicKeyRetrieval=true\" user")
                .replace("${db.password}", "");
    }
}
