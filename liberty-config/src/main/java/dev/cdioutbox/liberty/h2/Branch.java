package dev.cdioutbox.liberty.h2;

import java.sql.SQLException;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.XAConnection;
import javax.transaction.xa.Xid;

/** A branch by its id, independent of the class of its {@link Xid}. */
record Branch(int format, String transaction, String qualifier) {
    /** What is closed already, and would roll its prepared branch back if it were so for H2. */
    private static final Map<Branch, XAConnection> KEPT = new ConcurrentHashMap<>();

    static Branch of(Xid xid) {
        HexFormat hex = HexFormat.of();
        return new Branch(
                xid.getFormatId(),
                hex.formatHex(xid.getGlobalTransactionId()),
                hex.formatHex(xid.getBranchQualifier()));
    }

    /** @return whether it will be closed later; false if there is another one for this branch */
    boolean keepUntilItEnds(XAConnection connection) {
        return KEPT.putIfAbsent(this, connection) == null;
    }

    /** @return the connection that was kept for it: its own, which alone can end it as long as this process lives; or null */
    XAConnection kept() {
        return KEPT.get(this);
    }

    void release() {
        try {
            KEPT.remove(this).close();
        } catch (SQLException alreadyReportedAsClosed) {
            // Its user closed it before, and the branch has ended: no caller could act on this failure.
        }
    }
}
