/**
 * The sequence of each partition below which nothing waits, so that claims skip what a long snapshot keeps in the
 * index. Enter at {@code ReadWatermark}, which has a form that does nothing. The claim, the backlog and the queues of
 * delayed messages call it.
 */
package dev.cdioutbox.internal.store.watermark;
