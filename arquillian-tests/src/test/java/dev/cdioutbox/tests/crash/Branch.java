package dev.cdioutbox.tests.crash;

import java.io.Serializable;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.transaction.xa.XAException;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

/**
 * A branch of a transaction, at the broker or in the database, that reports each phase to the {@link Breakpoint}.
 *
 * <p>A branch also keeps the order of Open Liberty with a commit-priority. The broker commits first, and the database
 * commits only when the broker has no prepared branch of the transaction. Narayana alone would continue with the next
 * branch when it cannot reach one.
 *
 * <p>The transaction log holds a branch in serialized form. A deserialized branch opens a connection for each call of
 * the recovery.
 */
final class Branch implements XAResource, Serializable {
    private static final long serialVersionUID = 1L;

    /** Branches that this process has begun and not ended. Recovery must not roll them back as orphans. */
    private static final Set<String> LIVE = ConcurrentHashMap.newKeySet();

    private static final Set<String> COMMITTED_IN_BROKER = ConcurrentHashMap.newKeySet();

    private final Role role;
    private final transient XAResource live;
    private transient boolean failed;
    private transient boolean ended;

    enum Role {
        BROKER,
        DATABASE
    }

    Branch(Role role, XAResource live) {
        this.role = role;
        this.live = live;
    }

    static boolean isLive(Xid xid) {
        return LIVE.contains(transaction(xid));
    }

    /** Whether a call failed, so that the pool must not reuse the connection. */
    boolean isFailed() {
        return failed;
    }

    /** Whether the transaction manager has ended the branch, perhaps on another thread after a time-out. */
    boolean isEnded() {
        return ended;
    }

    @Override
    public void start(Xid xid, int flags) throws XAException {
        LIVE.add(transaction(xid));
        call(resource -> {
            resource.start(xid, flags);
            return 0;
        });
    }

    /** Synchronized, so that the end of the branch waits for a running statement. */
    @Override
    public synchronized void end(Xid xid, int flags) throws XAException {
        ended = true;
        call(resource -> {
            resource.end(xid, flags);
            return 0;
        });
    }

    @Override
    public int prepare(Xid xid) throws XAException {
        int vote = call(resource -> resource.prepare(xid));
        Node.get().breakpoint().reached(Points.afterPrepare(role));
        return vote;
    }

    @Override
    public void commit(Xid xid, boolean onePhase) throws XAException {
        Node node = Node.get();
        node.breakpoint().reached(Points.beforeCommit(role, onePhase));
        if (node.wrong() == WrongEngine.COMMIT_ORDER_REVERSED && !onePhase) {
            commitDatabaseFirst(xid);
        } else {
            commitInOrder(xid, onePhase);
        }
        node.breakpoint().reached(Points.afterCommit(role, onePhase));
    }

    private void commitInOrder(Xid xid, boolean onePhase) throws XAException {
        String transaction = transaction(xid);
        if (!onePhase && role == Role.DATABASE && isPreparedInBroker(xid)) {
            throw new XAException(XAException.XAER_RMFAIL);
        }
        try {
            call(resource -> {
                resource.commit(xid, onePhase);
                return 0;
            });
        } catch (XAException e) {
            throw onePhase || e.errorCode == XAException.XAER_NOTA ? e : failure(e);
        }
        if (onePhase || role == Role.DATABASE) {
            COMMITTED_IN_BROKER.remove(transaction);
            LIVE.remove(transaction);
        } else {
            COMMITTED_IN_BROKER.add(transaction);
        }
    }

    /** Makes recovery retry a branch that it cannot reach, whichever error code the driver throws. */
    private static XAException failure(XAException e) {
        XAException unreachable = new XAException(XAException.XAER_RMFAIL);
        unreachable.initCause(e);
        return unreachable;
    }

    private boolean isPreparedInBroker(Xid xid) throws XAException {
        if (COMMITTED_IN_BROKER.contains(transaction(xid))) {
            return false;
        }
        try (Resources.Recovering broker = Node.get().resources().recovering(Role.BROKER)) {
            return Arrays.stream(broker.resource().recover(TMSTARTRSCAN | TMENDRSCAN))
                    .anyMatch(prepared -> transaction(prepared).equals(transaction(xid)));
        }
    }

    /** Wrong on purpose: the broker's branch, which comes first, commits the database's branch and then itself. */
    private void commitDatabaseFirst(Xid xid) throws XAException {
        if (role == Role.BROKER) {
            try (Resources.Recovering database = Node.get().resources().recovering(Role.DATABASE)) {
                for (Xid prepared : database.resource().recover(TMSTARTRSCAN | TMENDRSCAN)) {
                    if (transaction(prepared).equals(transaction(xid))) {
                        database.resource().commit(prepared, false);
                    }
                }
            }
            Node.get().breakpoint().reached(Point.BETWEEN_COMMITS);
            call(resource -> {
                resource.commit(xid, false);
                return 0;
            });
        }
    }

    @Override
    public void rollback(Xid xid) throws XAException {
        try {
            call(resource -> {
                resource.rollback(xid);
                return 0;
            });
        } finally {
            LIVE.remove(transaction(xid));
        }
    }

    @Override
    public void forget(Xid xid) throws XAException {
        call(resource -> {
            resource.forget(xid);
            return 0;
        });
    }

    @Override
    public Xid[] recover(int flags) throws XAException {
        return call(resource -> resource.recover(flags));
    }

    @Override
    public boolean isSameRM(XAResource other) {
        return other == this;
    }

    @Override
    public int getTransactionTimeout() {
        return 0;
    }

    @Override
    public boolean setTransactionTimeout(int seconds) {
        return false;
    }

    private <T> T call(Call<T> call) throws XAException {
        if (live == null) {
            try (Resources.Recovering recovering = Node.get().resources().recovering(role)) {
                return call.on(recovering.resource());
            }
        }
        try {
            return call.on(live);
        } catch (XAException | RuntimeException e) {
            failed = true;
            throw e;
        }
    }

    private static String transaction(Xid xid) {
        return Arrays.toString(xid.getGlobalTransactionId());
    }

    @Override
    public String toString() {
        return role.toString();
    }

    private interface Call<T> {
        T on(XAResource resource) throws XAException;
    }
}
