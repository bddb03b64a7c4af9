/**
 * Checks DataSources, tables and persistence units at deployment, before an event could fail. Enter at one of the
 * checks; {@code PlatformServices} and {@code OptionalBeans} look up the platform's services and the application's beans. Only
 * {@code OutboxDeployment} runs the checks.
 */
package dev.cdioutbox.internal.capture.deployment;
