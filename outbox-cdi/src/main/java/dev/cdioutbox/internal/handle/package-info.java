/**
 * The application's own handlers, as a transport: {@code LocalPublisher} calls a bean for each message, in the transaction that
 * settles the message. At deployment, {@code HandlerExtension} finds the methods and {@code HandlerCheck} refuses those that could
 * not keep the promise; {@code HandlerCall} calls one. Package {@code capture} asks the extension which event types are handled.
 */
package dev.cdioutbox.internal.handle;
