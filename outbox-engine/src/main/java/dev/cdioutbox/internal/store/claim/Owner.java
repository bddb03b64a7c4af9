package dev.cdioutbox.internal.store.claim;

import dev.cdioutbox.internal.store.FencingToken;

/**
 * Who claims a destination as a whole. A claim tells it what it has found, once, while it reserves the partitions. The claim's
 * transaction is open meanwhile, on another connection.
 */
public interface Owner {

    /**
     * Messages wait, and no other claim can take the destination until this one ends. The claim reads the messages afterwards, so that
     * the owner may settle some now.
     *
     * @param token what the database knows of the last owner; null if there never was one
     * @throws Exception ends the claim, which throws it unchanged
     */
    void owned(FencingToken token) throws Exception;

    /**
     * Messages wait, and another claim has the destination.
     *
     * @param token null if the other one has never settled a batch
     */
    void ownedElsewhere(FencingToken token);

    /** Nothing waits in the whole destination, or a pause forbids to send it. A claim of a part of the partitions does not tell. */
    void nothingWaits();
}
