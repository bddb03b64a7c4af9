/**
 * The console: a servlet with a page and JSON. Enter at {@code ConsoleServlet}; {@code ConsoleApi} answers, {@code
 * StateView} and {@code MessageView} are the JSON, {@code ConsoleSecurity} protects each request. Only the container calls
 * it.
 */
package dev.cdioutbox.internal.operate.console;
