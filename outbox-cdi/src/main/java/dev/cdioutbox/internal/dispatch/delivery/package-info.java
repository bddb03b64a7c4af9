/**
 * Delivers one batch: sends it, settles it, and finds out who is to blame if that fails. Enter at {@code
 * BatchDelivery}. The worker's loop calls it, through the delivery after a crash.
 */
package dev.cdioutbox.internal.dispatch.delivery;
