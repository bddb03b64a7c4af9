/**
 * What the engine needs from its surroundings: transactions, the publisher, listeners, the configuration, a clock,
 * and the signal to stop. Enter at {@link dev.cdioutbox.internal.dispatch.container.Services}, which all
 * packages of dispatch use. Package {@code ejb} implements {@link
 * dev.cdioutbox.internal.dispatch.container.Transactions}.
 */
package dev.cdioutbox.internal.dispatch.container;
