/**
 * What differs between databases in many statements. Enter at {@code Dialect}; {@code SupportedDatabases} finds the one for
 * a connection. A statement that one database has for itself stands in the class that executes it. All packages of the store
 * call this package, and it calls none of them.
 */
package dev.cdioutbox.internal.store.dialect;
