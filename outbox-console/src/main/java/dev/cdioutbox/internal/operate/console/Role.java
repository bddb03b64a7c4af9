package dev.cdioutbox.internal.operate.console;

import java.util.Arrays;
import java.util.Comparator;
import java.util.Optional;

import jakarta.servlet.http.HttpServletRequest;

/** The roles of the console's users. Each may do what those before it may. */
enum Role {
    /** Sees the state, and what the outbox knows of messages. */
    VIEWER("outbox-viewer"),
    /** Also sees what messages contain. */
    SUPPORT("outbox-support"),
    /** Also changes messages and destinations. */
    OPERATOR("outbox-admin");

    private final String label;

    Role(String label) {
        this.label = label;
    }

    /** The name in server.xml. */
    String label() {
        return label;
    }

    boolean includes(Role other) {
        return compareTo(other) >= 0;
    }

    static String[] labels() {
        return Arrays.stream(values()).map(Role::label).toArray(String[]::new);
    }

    /** For a sentence. */
    static String listed() {
        return String.join(", ", labels()).replaceFirst(", (?=[^,]*$)", " or ");
    }

    /** The highest role of the user; empty without one. */
    static Optional<Role> of(HttpServletRequest request) {
        return Arrays.stream(values())
                .filter(role -> request.isUserInRole(role.label))
                .max(Comparator.naturalOrder());
    }
}
