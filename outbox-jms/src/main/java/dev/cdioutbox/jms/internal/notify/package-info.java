/**
 * Fires CDI events for the observers of the application: published and abandoned messages, failing and recovered
 * destinations. Enter at {@code ApplicationNotifier}, a listener of the dispatcher; {@code NotifierThread}
 * calls the observers on another thread. The engine calls it through {@code DispatchListener}.
 */
package dev.cdioutbox.jms.internal.notify;
