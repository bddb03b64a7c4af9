/**
 * Knows for each partition the sequence up to which no message waits, so that claims skip the index entries that a
 * long snapshot keeps. Enter at {@code ReadWatermark}, which does nothing on databases other than PostgreSQL. The
 * claim, the backlog and the delayed messages call this package.
 */
package dev.cdioutbox.internal.store.watermark;
