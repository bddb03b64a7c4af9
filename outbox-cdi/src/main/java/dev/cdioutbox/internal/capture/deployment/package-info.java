/**
 * Checks at deployment what would fail later: DataSources, tables, persistence units. Enter at one of the
 * checks; {@code Services} and {@code Beans} look up what the platform and the application bring. Only {@code
 * Assembly} runs the checks.
 */
package dev.cdioutbox.internal.capture.deployment;
