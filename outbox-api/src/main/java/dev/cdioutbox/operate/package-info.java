/**
 * Reads and operates the stored messages: inject {@link dev.cdioutbox.operate.OutboxOperations}. An
 * {@link dev.cdioutbox.operate.OutboxFilter} says which messages, an {@link dev.cdioutbox.operate.OutboxPageRequest} where
 * among them and how many.
 *
 * <p>The results are interfaces without getters, so they are nothing for JSON-B: copy what a response needs into a class of
 * the application.
 */
@NullMarked
package dev.cdioutbox.operate;

import org.jspecify.annotations.NullMarked;
