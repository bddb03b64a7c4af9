/**
 * The container's services for the engine: transactions, configuration, and the signal to stop. Enter at
 * {@link dev.cdioutbox.internal.dispatch.container.Transactions}. All packages of dispatch call it; the JMS module
 * implements it.
 */
package dev.cdioutbox.internal.dispatch.container;
