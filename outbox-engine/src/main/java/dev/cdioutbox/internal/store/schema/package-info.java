/**
 * What must be there before anything is written: creates the tables and the rows of the partitions at the start, and later checks
 * tables, rows, settings and rights. Enter at {@code SchemaSetup} for the start, and at {@code TableCheck} and {@code SetupCheck}
 * for the checks.
 */
package dev.cdioutbox.internal.store.schema;
