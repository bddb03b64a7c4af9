/**
 * The surroundings of the engine: the container's transactions, the publisher, the listeners, the configuration, the
 * clock, and the signal to stop. Enter at {@link dev.cdioutbox.internal.dispatch.container.Environment}, which all packages of dispatch use;
 * package {@code ejb} implements {@link dev.cdioutbox.internal.dispatch.container.Transactions}.
 */
package dev.cdioutbox.internal.dispatch.container;
