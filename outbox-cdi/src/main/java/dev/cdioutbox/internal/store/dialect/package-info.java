/**
 * The differences between databases, as small pieces of SQL. Enter at {@code Dialect}; {@code SupportedDatabases}
 * finds the one of a connection. All packages of the store call it, and it calls none of them.
 */
package dev.cdioutbox.internal.store.dialect;
