/**
 * Creates the tables at start, or compares their version and shape with the schema file in the jar. Enter at
 * {@code SchemaSetup}. Only {@code store.jdbc} calls it.
 */
package dev.cdioutbox.internal.store.schema;
