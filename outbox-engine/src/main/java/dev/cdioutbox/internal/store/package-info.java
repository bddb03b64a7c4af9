/**
 * The outbox's tables, in a package for each task; here are the values that several tasks share. Everybody enters at
 * {@code store.open.JdbcOutboxStore}, which names the class for each task.
 *
 * <pre>
 *   open ─► schema                      creates and checks what must be there
 *           capture ─► cdc              writes messages
 *           claim ─► watermark          reserves and reads them
 *           settle ─► capture           writes what became of them
 *           node, purge ─► settle       heartbeats and probes; what is removed later
 *           operate ─► settle           what operators read and change
 *           inbox                       what consumers have handled
 *   all of these ─► sql ─► dialect      the base
 * </pre>
 */
package dev.cdioutbox.internal.store;
