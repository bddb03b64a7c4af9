/**
 * Removes what nobody needs any more: messages after their retention, and rows that crashed processes have left. Enter at
 * {@code Purge}; what a settlement removes at once, {@code store.settle} removes itself.
 */
package dev.cdioutbox.internal.store.purge;
