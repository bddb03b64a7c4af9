package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Set;
import java.util.UUID;
import java.util.logging.Logger;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import org.junit.jupiter.api.Test;

/** Derby is not one of the databases on which the whole contract is kept; but it takes each statement. */
class DerbyTest {
    private final DataSource database = new InMemory();

    @Test
    void everyStatementIsTaken() {
        EveryStatement.run(open(SchemaMode.CREATE));

        assertThatCode(() -> open(SchemaMode.CREATE)).doesNotThrowAnyException();
        assertThatCode(() -> open(SchemaMode.VALIDATE)).doesNotThrowAnyException();
    }

    private JdbcOutboxStore open(SchemaMode mode) {
        return JdbcOutboxStore.open(
                database,
                new StoreConfig("jdbc/shop", mode, TestDatabase.PREFIX, "shop", 4, Ordering.STRICT),
                Set.of(TestMessages.DESTINATION));
    }

    private static final class InMemory implements DataSource {
        private final String url = "jdbc:derby:memory:" + UUID.randomUUID() + ";create=true";

        static {
            System.setProperty("derby.stream.error.file", "target/derby.log");
        }

        @Override
        public Connection getConnection() throws SQLException {
            return DriverManager.getConnection(url);
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return getConnection();
        }

        @Override
        public PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {
            // Derby has a file of its own
        }

        @Override
        public void setLoginTimeout(int seconds) {
            // it is in this JVM
        }

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() {
            return Logger.getLogger("derby");
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("wraps nothing");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
