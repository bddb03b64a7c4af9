/**
 * Keys whose next message waits for a retry or an operator, and the queues of their later messages. Enter at
 * {@code BlockedKeyTable}. The claim reads and maintains blocked keys; the settlement inserts them.
 */
package dev.cdioutbox.internal.store.blockedkey;
