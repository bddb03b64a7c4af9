package dev.cdioutbox.internal.operate;

import java.util.List;

/**
 * Whether a line of the production checklist is done. Public, as JSON-B needs it for the console.
 *
 * @param state {@link #DONE}, {@link #NOT_DONE}, or {@link #YOURS}: the outbox cannot see it
 * @param codes of the findings that show that it is not done
 */
public record ChecklistAnswer(String line, String state, List<String> codes) {
    public static final String DONE = "done";
    public static final String NOT_DONE = "not done";
    public static final String YOURS = "yours to check";
}
