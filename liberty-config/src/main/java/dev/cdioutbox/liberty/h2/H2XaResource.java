package dev.cdioutbox.liberty.h2;

import java.sql.SQLException;
import java.util.Arrays;
import javax.sql.XAConnection;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/** Knows which branch its connection has, so that it can tell another's from it. */
final class H2XaResource implements XAResource {
    private final XAResource h2;
    private Branch own;
    private volatile Branch prepared;

    H2XaResource(XAResource h2) {
        this.h2 = h2;
    }

    /** @return the branch of this connection that is prepared and not ended, or null */
    Branch prepared() {
        return prepared;
    }

    @Override
    public void start(Xid xid, int flags) throws XAException {
        h2.start(xid, flags);
        own = Branch.of(xid);
    }

    @Override
    public void end(Xid xid, int flags) throws XAException {
        h2.end(xid, flags);
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        int vote = h2.prepare(xid);
        prepared = Branch.of(xid);
        return vote;
    }

    /** @throws XAException with {@code XAER_NOTA} if it is neither of this process nor in doubt */
    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        Branch branch = Branch.of(xid);
        XAConnection kept = branch.kept();
        if (kept != null) {
            resource(kept).commit(xid, false);
            branch.release();
        } else if (branch.equals(own)) {
            h2.commit(xid, onePhase);
            forgetIfOwn(branch);
        } else {
            // H2 would fail without an error code.
            lookFor(branch);
            h2.commit(xid, onePhase);
        }
    }

    /** @throws XAException with {@code XAER_NOTA} if it is neither of this process nor in doubt */
    @Override
    public void rollback(Xid xid) throws XAException {
        Branch branch = Branch.of(xid);
        XAConnection kept = branch.kept();
        if (kept != null) {
            resource(kept).rollback(xid);
            branch.release();
        } else if (branch.equals(own)) {
            h2.rollback(xid);
            forgetIfOwn(branch);
        } else {
            // H2 rolls back another's branch if it has just been asked for those in doubt; else it says that it did.
            lookFor(branch);
            h2.rollback(xid);
        }
    }

    private void lookFor(Branch branch) throws XAException {
        if (Arrays.stream(h2.recover(TMSTARTRSCAN | TMENDRSCAN)).map(Branch::of).noneMatch(branch::equals)) {
            throw new XAException(XAException.XAER_NOTA);
        }
    }

    private void forgetIfOwn(Branch branch) {
        if (branch.equals(own)) {
            own = null;
            prepared = null;
        }
    }

    private static XAResource resource(XAConnection connection) throws XAException {
        try {
            return connection.getXAResource();
        } catch (SQLException e) {
            XAException failure = new XAException(XAException.XAER_RMFAIL);
            failure.initCause(e);
            throw failure;
        }
    }

    @Override
    public Xid[] recover(int flags) throws XAException {
        return h2.recover(flags);
    }

    @Override
    public void forget(Xid xid) throws XAException {
        // h2.forget(xid);
    }

    @Override
    public boolean isSameRM(XAResource other) {
        return other == this;
    }

    @Override
    public int getTransactionTimeout() throws XAException {
        return h2.getTransactionTimeout();
    }

    @Override
    public boolean setTransactionTimeout(int seconds) throws XAException {
        return h2.setTransactionTimeout(seconds);
    }
}
