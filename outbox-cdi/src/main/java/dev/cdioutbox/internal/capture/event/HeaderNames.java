package dev.cdioutbox.internal.capture.event;

import java.util.Locale;
import java.util.Set;

/**
 * Checks the names of headers, by the rules of Jakarta Messaging 3.1 for property names (sections 3.5.1 and 3.8.1.1).
 * Without this check JMS would refuse the message at the send, long after its transaction.
 */
final class HeaderNames {
    private static final Set<String> SELECTOR_WORDS =
            Set.of("NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE");

    /** Properties that the outbox sets. */
    static final Set<String> RESERVED = Set.of(
            "messageId",
            "sequence",
            "storedAt",
            "deliverNotBefore",
            "eventType",
            "schemaVersion",
            "aggregateType",
            "aggregateId",
            "messageKey",
            "occurredAt",
            "contentType",
            "correlationId",
            "tenantId",
            "causationId",
            "encodedProperties",
            "generation",
            "traceparent",
            "tracestate");

    private HeaderNames() {}

    /** The problem of a name, or null. */
    static String problem(String name) {
        if (name == null
                || name.isEmpty()
                || !Character.isJavaIdentifierStart(name.charAt(0))
                || !name.chars().allMatch(Character::isJavaIdentifierPart)) {
            return "is no JMS property name: it must be a Java identifier";
        }
        // Java ignores these in identifiers. Two names would look the same, and databases cannot keep U+0000.
        int invisible = name.chars()
                .filter(Character::isIdentifierIgnorable)
                .findFirst()
                .orElse(-1);
        if (invisible >= 0) {
            return String.format(Locale.ROOT, "contains the invisible character U+%04X", invisible);
        }
        if (name.regionMatches(true, 0, "JMS", 0, 3)) {
            return "begins with JMS, which belongs to the provider";
        }
        if (SELECTOR_WORDS.contains(name.toUpperCase(Locale.ROOT))) {
            return "is a word of the JMS selector language";
        }
        return RESERVED.contains(name) ? "is set by the outbox itself" : null;
    }
}
