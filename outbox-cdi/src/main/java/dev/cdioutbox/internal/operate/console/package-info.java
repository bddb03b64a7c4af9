/**
 * The console: a servlet with a page and JSON. Enter at {@code ConsoleServlet}; {@code ConsoleApi} answers with
 * {@code StateView} (with a {@code DestinationView} for each destination) and the records of the API,
 * {@code ConsoleSecurity} protects each request. Only the container calls it.
 */
package dev.cdioutbox.internal.operate.console;
