/**
 * Tasks beside the batches: the sweep, and the report of messages in doubt. Enter at the class of a task. The
 * dispatcher's timers and the workers call them.
 */
package dev.cdioutbox.internal.dispatch.upkeep;
