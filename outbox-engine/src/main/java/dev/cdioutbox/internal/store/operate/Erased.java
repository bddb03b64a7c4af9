package dev.cdioutbox.internal.store.operate;

import java.util.List;

/**
 * What an erasure has done.
 *
 * @param sequences the erased messages
 * @param ids of the erased messages
 * @param published how many of them were published, so that the broker and its consumers have them
 */
public record Erased(List<Long> sequences, List<String> ids, int published) {}
