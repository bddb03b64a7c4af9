package dev.cdioutbox.internal.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.stream.Stream;
import javax.sql.DataSource;

import com.mysql.cj.jdbc.MysqlDataSource;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.EachDatabase;
import dev.cdioutbox.internal.store.StoreContract;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.TestMessages;
import dev.cdioutbox.internal.store.WatchedSource;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.postgresql.ds.PGSimpleDataSource;

/** Guards that a DataSource whose driver or session damages letters is refused, and that the check leaves no row. */
@EachDatabase({Database.POSTGRESQL, Database.MYSQL})
class TextRoundTripTest extends StoreContract {
    TextRoundTripTest(Database kind) {
        super(kind);
    }

    @Test
    void lettersOfAllLanguagesComeBack() {
        check(database.dataSource());

        assertThat(database.query("SELECT node_id FROM shop_node")).isEmpty();
    }

    /** With the first two, letters become question marks. With the others, each byte becomes a letter. */
    @TestFactory
    Stream<DynamicTest> characterSetOfASessionIsRefused() {
        return database.kind() == Database.POSTGRESQL
                ? Stream.of(refused("SET client_encoding = 'LATIN1'", "'Å"))
                : Stream.of(
                        refused("characterEncoding=ISO-8859-1", "'? ? ? ?' in 7 byte(s). "),
                        refused("characterSetResults=latin1", "'? "),
                        refused("SET NAMES latin1", "'Å"));
    }

    private DynamicTest refused(String setting, String damage) {
        return DynamicTest.dynamicTest(setting, () -> assertThatThrownBy(() -> check(with(setting)))
                .hasMessageStartingWith("OBX-0232: the DataSource jdbc/shop (key outbox.datasource) damages letters:"
                        + " 'ł € 日 😀' in 15 byte(s) came back as " + damage));
    }

    private DataSource with(String setting) throws SQLException {
        if (setting.startsWith("SET ")) {
            return new WatchedSource(changeable(), Connection.TRANSACTION_READ_COMMITTED, () -> setting).dataSource();
        }
        MysqlDataSource narrow = new MysqlDataSource();
        narrow.setURL(((MysqlDataSource) database.dataSource()).getUrl() + "&" + setting);
        return narrow;
    }

    /** PostgreSQL's driver ends a session whose character set changes, unless it is told to follow. */
    private DataSource changeable() throws SQLException {
        if (database.dataSource() instanceof PGSimpleDataSource usual) {
            PGSimpleDataSource changeable = new PGSimpleDataSource();
            changeable.setURL(usual.getURL());
            changeable.setUser(usual.getUser());
            changeable.setAllowEncodingChanges(true);
            return changeable;
        }
        return database.dataSource();
    }

    private static void check(DataSource source) {
        JdbcOutboxStore store = JdbcOutboxStore.open(
                source, TestDatabase.config(SchemaMode.CREATE, "shop", 1), Set.of(TestMessages.DESTINATION));
        DataSourceCheck.requireTexts(store.texts(), "outbox.datasource", "jdbc/shop");
    }
}
