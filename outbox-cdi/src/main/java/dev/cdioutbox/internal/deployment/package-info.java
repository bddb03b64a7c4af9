/**
 * What happens to the outboxes at a deployment, before an event could fail: their stores are opened, and DataSources, tables,
 * persistence units and the deployed parts are checked. Enter at {@code OutboxOpening}; {@code PlatformServices} and {@code
 * OptionalBeans} look up the platform's services and the application's beans. {@code capture.OutboxDeployment} says in which order
 * all this happens.
 */
package dev.cdioutbox.internal.deployment;
