/**
 * What the engine needs from its surroundings: transactions, listeners, a clock, and the signal to stop. Enter at {@link
 * dev.cdioutbox.internal.dispatch.container.Environment}. Package {@code ejb} implements {@link
 * dev.cdioutbox.internal.dispatch.container.Transactions}.
 */
package dev.cdioutbox.internal.dispatch.container;
