/**
 * The console: a servlet with a page and the HTTP API that the page uses. Enter at {@code ApiOperation}, the list of what the API
 * can do; {@code ConsoleApi} does it. {@code ConsoleServlet} dispatches, and {@code ConsoleSecurity} protects each request. Only
 * the container calls this package.
 */
package dev.cdioutbox.internal.operate.console;
