package dev.cdioutbox.internal.operate;

import java.util.Arrays;
import java.util.Optional;

import dev.cdioutbox.internal.store.OperatorStore.Change;

/** An operation on messages. */
public enum MessageOperation {
    RETRY("retry", "retried", Change.RETRY),
    DISCARD("discard", "discarded", Change.DISCARD),
    REPLAY("replay", "replayed", Change.REPLAY),
    REPLAY_AS_NEW("replay-as-new", "replayed_as_new", Change.REPLAY);

    private final String action;
    /** The result for a message, as the log names it. */
    private final String became;

    private final Change change;

    MessageOperation(String action, String became, Change change) {
        this.action = action;
        this.became = became;
        this.change = change;
    }

    /** The name in the audit. */
    public String action() {
        return action;
    }

    /** The result for a message, as the log names it. */
    String became() {
        return became;
    }

    /** The change of the rows; for copies, the change whose statuses the originals must have. */
    public Change change() {
        return change;
    }

    public static Optional<MessageOperation> of(String action) {
        return Arrays.stream(values())
                .filter(operation -> operation.action.equals(action))
                .findFirst();
    }
}
