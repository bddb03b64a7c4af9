package dev.cdioutbox.internal.store.claim;

import java.util.Collection;
import java.util.Set;

/**
 * Calls {@code PendingRows.lockable} on another connection than the claim has. The caller supplies it, because in a
 * container a second connection taken here would be the claim's own.
 */
public interface LockProbe {
    Set<Long> lockable(Collection<Long> sequences) throws Exception;
}
