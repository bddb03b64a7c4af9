package dev.cdioutbox.liberty.h2;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.ConnectionEventListener;
import javax.sql.StatementEventListener;
import javax.sql.XAConnection;
import javax.transaction.xa.XAResource;

/** A connection of H2 that outlives its closing while it holds a prepared branch. */
final class H2XaConnection implements XAConnection {
    private final XAConnection h2;
    private final H2XaResource resource;

    H2XaConnection(XAConnection h2) throws SQLException {
        this.h2 = h2;
        this.resource = new H2XaResource(h2.getXAResource());
    }

    @Override
    public XAResource getXAResource() {
        return resource;
    }

    /** With a prepared branch, when that is ended. */
    @Override
    public void close() throws SQLException {
        Branch prepared = resource.prepared();
        if (prepared == null || !prepared.keepUntilItEnds(h2)) {
            h2.close();
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        return h2.getConnection();
    }

    @Override
    public void addConnectionEventListener(ConnectionEventListener listener) {
        h2.addConnectionEventListener(listener);
    }

    @Override
    public void removeConnectionEventListener(ConnectionEventListener listener) {
        h2.removeConnectionEventListener(listener);
    }

    @Override
    public void addStatementEventListener(StatementEventListener listener) {
        h2.addStatementEventListener(listener);
    }

    @Override
    public void removeStatementEventListener(StatementEventListener listener) {
        h2.removeStatementEventListener(listener);
    }
}
