/**
 * Tells metrics, health, logs and traces what dispatch does. Enter at {@link
 * dev.cdioutbox.internal.dispatch.listener.DispatchListener}, which package {@code observe} implements and all
 * packages of dispatch notify.
 */
package dev.cdioutbox.internal.dispatch.listener;
