/**
 * Reads and operates the stored messages: inject {@link dev.cdioutbox.operate.OutboxOperations}. An
 * {@link dev.cdioutbox.operate.OutboxFilter} says which messages, an {@link dev.cdioutbox.operate.OutboxPageRequest} where
 * among them and how many.
 */
@NullMarked
package dev.cdioutbox.operate;

import org.jspecify.annotations.NullMarked;
