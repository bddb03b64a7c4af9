/**
 * The outbox's tables, in a package for each task; here are the values that several tasks share. Everybody enters at
 * {@code store.open.JdbcOutboxStore}, which names the class for each task.
 *
 * <pre>
 *   open      uses all others
 *   schema    creates and checks what must be there        ─► operate, cdc
 *   operate   what operators read and change               ─► settle, capture, watermark
 *   purge     removes what nobody needs any more           ─► settle, node
 *   node      heartbeats and probes                        ─► settle
 *   settle    writes what became of messages               ─► capture
 *   capture   writes messages                              ─► cdc
 *   claim     reserves and reads messages                  ─► watermark
 *   inbox     what consumers have handled
 *   sql       what all of these have in common             ─► dialect
 * </pre>
 */
package dev.cdioutbox.internal.store;
