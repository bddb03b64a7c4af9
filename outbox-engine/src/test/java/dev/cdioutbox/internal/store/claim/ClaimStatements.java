package dev.cdioutbox.internal.store.claim;

import java.util.Optional;

/** Shows the statement of a {@link PageReader} to tests of other packages. */
public final class ClaimStatements {
    private ClaimStatements() {}

    /** The statement, if the object is a reader. */
    public static Optional<String> ofReader(Object object, int queues, int pageSize) {
        return object instanceof PageReader reader ? Optional.of(reader.statement(queues, pageSize)) : Optional.empty();
    }
}
