/**
 * The values that the outbox's tables keep, and the interfaces for callers that tests take apart from them. Everybody enters at
 * {@code store.jdbc.JdbcOutboxStore}, which names the class for each task.
 */
package dev.cdioutbox.internal.store;
