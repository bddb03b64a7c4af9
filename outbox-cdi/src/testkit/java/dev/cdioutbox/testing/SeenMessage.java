package dev.cdioutbox.testing;

/** A message, as a failed wait reports it. */
record SeenMessage(
        String id, String type, String key, String destination, String status, int attempts, String lastError) {

    @Override
    public String toString() {
        return "%s %s key %s to %s: %s, %s attempt(s), last error: %s"
                .formatted(id, type, key, destination, status, attempts, lastError);
    }
}
