package dev.cdioutbox.tests.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * With the DataSource of the H2 fragment, a transaction manager can end every branch in doubt. The test loads the
 * classes of the zip.
 */
class H2XaDataSourceIT {
    private static final int ALL = XAResource.TMSTARTRSCAN | XAResource.TMENDRSCAN;

    @TempDir
    private Path directory;

    private String url;
    private URLClassLoader zip;
    private XADataSource source;

    @BeforeEach
    void open() throws Exception {
        url = "jdbc:h2:file:" + directory.resolve("outbox") + ";WRITE_DELAY=0";
        zip = new URLClassLoader(
                new URL[] {
                    Path.of("target/server-config/cdi-outbox/h2/").toUri().toURL()
                },
                getClass().getClassLoader());
        source = (XADataSource) zip.loadClass("dev.cdioutbox.liberty.h2.H2XaDataSource")
                .getConstructor()
                .newInstance();
        source.getClass().getMethod("setURL", String.class).invoke(source, url);
        execute("CREATE TABLE work (id INT)");
    }

    @AfterEach
    void close() throws Exception {
        execute("SHUTDOWN");
        zip.close();
    }

    @Test
    void everyBranchThatADeathLeftInDoubtIsRolledBack() throws Exception {
        leaveInDoubt(3);
        recover(source);
        assertThat(inDoubt()).isZero();
        assertThat(work()).isEmpty();
    }

    /** If this test fails, H2 is repaired, and the fragment can use H2's own DataSource again. */
    @Test
    void ofH2ItselfOnlyTheFirstIs() throws Exception {
        leaveInDoubt(3);
        JdbcDataSource own = new JdbcDataSource();
        own.setURL(url);
        recover(own);
        assertThat(inDoubt()).isEqualTo(2);
    }

    @Test
    void oneIsCommittedAndTheOthersAreRolledBackInWhateverOrder() throws Exception {
        leaveInDoubt(3);
        XAConnection connection = source.getXAConnection();
        XAResource resource = connection.getXAResource();
        resource.recover(ALL);
        resource.rollback(new Id(3));
        resource.commit(new Id(1), false);
        resource.rollback(new Id(2));
        connection.close();
        assertThat(inDoubt()).isZero();
        assertThat(work()).containsExactly(1);
    }

    @Test
    void preparedBranchOutlivesItsConnection() throws Exception {
        prepare(1).close();
        prepare(2).close();
        assertThat(work()).as("before they are committed").isEmpty();

        XAConnection later = source.getXAConnection();
        later.getXAResource().commit(new Id(1), false);
        later.getXAResource().rollback(new Id(2));
        later.close();

        assertThat(work()).containsExactly(1);
        assertThat(inDoubt()).isZero();
        // The statement fails if a branch still holds a lock or a connection still holds the file.
        execute("ALTER TABLE work ADD COLUMN note VARCHAR(9)");
    }

    @Test
    void whatIsNotInDoubtIsNotEndedInSilence() throws Exception {
        leaveInDoubt(1);
        XAConnection connection = source.getXAConnection();
        assertUnknown(() -> connection.getXAResource().rollback(new Id(9)));
        assertUnknown(() -> connection.getXAResource().commit(new Id(9), false));
        connection.close();
        assertThat(inDoubt()).isEqualTo(1);
    }

    private static void assertUnknown(ThrowingCallable end) {
        assertThatThrownBy(end).isInstanceOfSatisfying(XAException.class, refused -> assertThat(refused.errorCode)
                .isEqualTo(XAException.XAER_NOTA));
    }

    @Test
    void ordinaryTransactionsAreH2sOwn() throws Exception {
        XAConnection connection = source.getXAConnection();
        Connection handle = connection.getConnection();
        XAResource resource = connection.getXAResource();
        work(resource, handle, 1);
        resource.rollback(new Id(1));
        work(resource, handle, 2);
        resource.commit(new Id(2), true);
        work(resource, handle, 3);
        resource.prepare(new Id(3));
        resource.rollback(new Id(3));
        work(resource, handle, 4);
        resource.prepare(new Id(4));
        resource.commit(new Id(4), false);
        connection.close();
        assertThat(work()).containsExactly(2, 4);
    }

    /** Leaves the file as a killed process does. */
    private void leaveInDoubt(int branches) throws Exception {
        for (int branch = 1; branch <= branches; branch++) {
            prepare(branch);
        }
        execute("SHUTDOWN IMMEDIATELY");
        assertThat(inDoubt()).isEqualTo(branches);
    }

    private XAConnection prepare(int branch) throws Exception {
        XAConnection connection = source.getXAConnection();
        work(connection.getXAResource(), connection.getConnection(), branch);
        connection.getXAResource().prepare(new Id(branch));
        return connection;
    }

    private static void work(XAResource resource, Connection handle, int branch) throws Exception {
        resource.start(new Id(branch), XAResource.TMNOFLAGS);
        try (Statement statement = handle.createStatement()) {
            statement.execute("INSERT INTO work (id) VALUES (" + branch + ")");
        }
        resource.end(new Id(branch), XAResource.TMSUCCESS);
    }

    private static void recover(XADataSource source) throws Exception {
        XAConnection connection = source.getXAConnection();
        XAResource resource = connection.getXAResource();
        for (Xid found : resource.recover(ALL)) {
            resource.rollback(found);
        }
        connection.close();
    }

    private int inDoubt() throws SQLException {
        return query("SELECT count(*) FROM INFORMATION_SCHEMA.IN_DOUBT").get(0);
    }

    private List<Integer> work() throws SQLException {
        return query("SELECT id FROM work ORDER BY id");
    }

    private List<Integer> query(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<Integer> all = new ArrayList<>();
            while (rows.next()) {
                all.add(rows.getInt(1));
            }
            return all;
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private record Id(int number) implements Xid {
        @Override
        public int getFormatId() {
            return 7;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return new byte[] {(byte) number};
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {1};
        }
    }
}
