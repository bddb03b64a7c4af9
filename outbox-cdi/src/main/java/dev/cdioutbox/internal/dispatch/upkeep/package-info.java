/**
 * Tasks beside the batches: the sweep, and the report of rows in doubt. Enter at the class of the task. The dispatcher's
 * timers and the workers call them.
 */
package dev.cdioutbox.internal.dispatch.upkeep;
