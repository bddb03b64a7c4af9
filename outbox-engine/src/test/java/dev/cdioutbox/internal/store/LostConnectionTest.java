package dev.cdioutbox.internal.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.mariadb.jdbc.MariaDbDataSource;

/**
 * The reason why docs/databases.md warns of a MariaDB that dies at a commit. If this test fails, the driver has been
 * repaired: remove the warning, and let {@code MariaDbIT} kill its database as well.
 */
@Tag("database")
class LostConnectionTest {

    /** Liberty repeats a commit after XAER_RMFAIL. After a code that it does not know, it forgets the transaction. */
    @Test
    void driverOfMariaDbReportsALostConnectionWithoutACode() throws Exception {
        try (MariaDbServer database = MariaDbServer.fresh()) {
            XAConnection connection = new MariaDbDataSource(database.urlOf("", "root")).getXAConnection();
            XAResource transactions = connection.getXAResource();
            Xid branch = new Branch();
            transactions.start(branch, XAResource.TMNOFLAGS);
            transactions.end(branch, XAResource.TMSUCCESS);
            transactions.prepare(branch);
            database.kill();

            XAException lost = catchThrowableOfType(XAException.class, () -> transactions.commit(branch, false));

            assertThat(lost.errorCode).isZero();
        }
    }

    private record Branch() implements Xid {
        @Override
        public int getFormatId() {
            return 1;
        }

        @Override
        public byte[] getGlobalTransactionId() {
            return new byte[] {1};
        }

        @Override
        public byte[] getBranchQualifier() {
            return new byte[] {2};
        }
    }
}
