/**
 * The differences between databases, as short pieces of SQL. Enter at {@code Dialect}; {@code SupportedDatabases}
 * finds the one for a connection. All packages of the store call this package, and it calls none of them.
 */
package dev.cdioutbox.internal.store.dialect;
