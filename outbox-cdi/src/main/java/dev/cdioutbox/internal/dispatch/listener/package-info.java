/**
 * Notifications of dispatch, for metrics, health, logs and traces. Enter at {@link
 * dev.cdioutbox.internal.dispatch.listener.DispatchListener}. All packages of dispatch notify; the package observe
 * implements the interface.
 */
package dev.cdioutbox.internal.dispatch.listener;
