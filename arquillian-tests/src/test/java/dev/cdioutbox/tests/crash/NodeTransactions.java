package dev.cdioutbox.tests.crash;

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import javax.transaction.xa.XAResource;
import javax.transaction.xa.Xid;

import jakarta.transaction.Transaction;
import jakarta.transaction.TransactionManager;
import jakarta.transaction.TransactionSynchronizationRegistry;
import jakarta.transaction.UserTransaction;

import com.arjuna.ats.arjuna.common.CoreEnvironmentBeanException;
import com.arjuna.ats.arjuna.common.ObjectStoreEnvironmentBean;
import com.arjuna.ats.arjuna.common.RecoveryEnvironmentBean;
import com.arjuna.ats.arjuna.common.arjPropertyManager;
import com.arjuna.ats.arjuna.common.recoveryPropertyManager;
import com.arjuna.ats.arjuna.recovery.RecoveryManager;
import com.arjuna.ats.internal.arjuna.recovery.AtomicActionRecoveryModule;
import com.arjuna.ats.internal.arjuna.utils.UuidProcessId;
import com.arjuna.ats.internal.jta.recovery.arjunacore.JTATransactionLogXAResourceOrphanFilter;
import com.arjuna.ats.internal.jta.recovery.arjunacore.XARecoveryModule;
import com.arjuna.ats.internal.jta.transaction.arjunacore.TransactionSynchronizationRegistryImple;
import com.arjuna.ats.jta.common.JTAEnvironmentBean;
import com.arjuna.ats.jta.common.jtaPropertyManager;
import com.arjuna.ats.jta.recovery.XAResourceOrphanFilter;
import com.arjuna.ats.jta.recovery.XAResourceRecoveryHelper;
import com.arjuna.ats.jta.xa.XATxConverter;
import com.arjuna.ats.jta.xa.XidImple;
import com.arjuna.common.internal.util.propertyservice.BeanPopulator;
import dev.cdioutbox.internal.dispatch.container.Transactions;

/** The node's transactions: Narayana with its recovery, and with a log in a folder that outlives the process. */
public final class NodeTransactions implements Transactions {
    /** In seconds. A restarted node ends its branches in doubt within a few of these periods. */
    private static final int RECOVERY_SECONDS = 1;

    private final TransactionManager manager;

    private NodeTransactions(TransactionManager manager) {
        this.manager = manager;
    }

    /**
     * Starts the recovery, which ends the transactions that an earlier process of this name left.
     *
     * @param name at most 28 characters, the same after each restart with the same log
     */
    static NodeTransactions start(String name, Path log, int timeoutSeconds) {
        try {
            arjPropertyManager.getCoreEnvironmentBean().setNodeIdentifier(name);
        } catch (CoreEnvironmentBeanException e) {
            throw new IllegalArgumentException(name, e);
        }
        arjPropertyManager.getCoreEnvironmentBean().setProcessImplementationClassName(UuidProcessId.class.getName());
        arjPropertyManager.getCoordinatorEnvironmentBean().setDefaultTimeout(timeoutSeconds);
        arjPropertyManager.getCoordinatorEnvironmentBean().setTransactionStatusManagerEnable(false);
        for (String store : new String[] {null, "communicationStore", "stateStore"}) {
            ObjectStoreEnvironmentBean bean = BeanPopulator.getNamedInstance(ObjectStoreEnvironmentBean.class, store);
            bean.setObjectStoreDir(log.toString());
            // The tests kill processes and never the machine, so no write need reach the disk.
            bean.setObjectStoreSync(false);
            bean.setTransactionSync(false);
        }
        JTAEnvironmentBean jta = jtaPropertyManager.getJTAEnvironmentBean();
        jta.setXaRecoveryNodes(List.of(name));
        jta.setOrphanSafetyInterval(0);
        jta.setXaResourceOrphanFilters(List.of(new JTATransactionLogXAResourceOrphanFilter(), new OwnOrphans(name)));
        XARecoveryModule branches = new XARecoveryModule();
        branches.addXAResourceRecoveryHelper(new Helper(Branch.Role.DATABASE));
        branches.addXAResourceRecoveryHelper(new Helper(Branch.Role.BROKER));
        RecoveryEnvironmentBean recovery = recoveryPropertyManager.getRecoveryEnvironmentBean();
        recovery.setRecoveryListener(false);
        recovery.setPeriodicRecoveryPeriod(RECOVERY_SECONDS);
        recovery.setRecoveryBackoffPeriod(RECOVERY_SECONDS);
        recovery.setRecoveryModules(List.of(new AtomicActionRecoveryModule(), branches));
        recovery.setExpiryScanners(List.of());
        RecoveryManager.manager(RecoveryManager.DIRECT_MANAGEMENT);
        RecoveryManager.manager().startRecoveryManagerThread();
        return new NodeTransactions(com.arjuna.ats.jta.TransactionManager.transactionManager());
    }

    TransactionManager manager() {
        return manager;
    }

    UserTransaction user() {
        return com.arjuna.ats.jta.UserTransaction.userTransaction();
    }

    TransactionSynchronizationRegistry registry() {
        return new TransactionSynchronizationRegistryImple();
    }

    @Override
    public <T> T inNew(Callable<T> work) throws Exception {
        return outside(() -> {
            manager.begin();
            T result;
            try {
                result = work.call();
            } catch (Exception | Error e) {
                manager.rollback();
                throw e;
            }
            manager.commit();
            return result;
        });
    }

    @Override
    public <T> T outside(Callable<T> work) throws Exception {
        Transaction suspended = manager.suspend();
        try {
            return work.call();
        } finally {
            if (suspended != null) {
                manager.resume(suspended);
            }
        }
    }

    /** Gives recovery a branch that opens a connection for each call. */
    private record Helper(Branch.Role role) implements XAResourceRecoveryHelper {
        @Override
        public boolean initialise(String unused) {
            return true;
        }

        @Override
        public XAResource[] getXAResources() {
            return new XAResource[] {new Branch(role, null)};
        }
    }

    /** Presumed abort: rolls back a prepared branch of this node that neither the log nor a running transaction has. */
    private record OwnOrphans(String name) implements XAResourceOrphanFilter {
        @Override
        public Vote checkXid(Xid xid) {
            if (xid.getFormatId() != XATxConverter.FORMAT_ID
                    || !name.equals(XATxConverter.getNodeName(new XidImple(xid).getXID()))) {
                return Vote.ABSTAIN;
            }
            return Branch.isLive(xid) ? Vote.LEAVE_ALONE : Vote.ROLLBACK;
        }
    }
}
