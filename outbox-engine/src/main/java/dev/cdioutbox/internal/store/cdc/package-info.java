/**
 * Change data capture: what the database must have for it, and what Kafka takes. Enter at {@code CdcSetup}; a capture asks
 * {@code CapturedTopics} before it writes.
 */
package dev.cdioutbox.internal.store.cdc;
