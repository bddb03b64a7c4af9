package dev.cdioutbox.internal.store;

import java.time.Duration;

/**
 * How many keys of a destination wait, and what waits behind them. Counting stops at {@link dev.cdioutbox.operate.OutboxBacklog#CAP}.
 *
 * @param keys the keys whose next message waits for a retry, an operator, or the outcome of a transaction in doubt
 * @param followers the later messages of these keys
 * @param longest the time since the first of the keys was blocked; zero where that is not known
 */
public record HeldUpKeys(int keys, int followers, Duration longest) {
    /** No key waits. */
    public static final HeldUpKeys NONE = new HeldUpKeys(0, 0, Duration.ZERO);
}
