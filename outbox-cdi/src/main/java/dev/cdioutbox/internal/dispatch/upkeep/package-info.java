/**
 * The tasks beside the batches: sweep, rows in doubt. Enter at the class of the task. The dispatcher's timers and the
 * worker's loop call it.
 */
package dev.cdioutbox.internal.dispatch.upkeep;
