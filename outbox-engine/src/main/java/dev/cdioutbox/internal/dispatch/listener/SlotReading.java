package dev.cdioutbox.internal.dispatch.listener;

import java.time.Duration;

import dev.cdioutbox.internal.code.Finding;

/**
 * The replication slot of change data capture.
 *
 * @param active whether somebody reads it
 * @param walStatus whether the log has what it needs, as the database says it; null if there is no slot
 * @param lagBytes what is written and not confirmed
 * @param lag for how long something written has not been confirmed, to some ten seconds
 * @param finding what is wrong; null if nothing is
 */
public record SlotReading(boolean active, String walStatus, long lagBytes, Duration lag, Finding finding) {}
