package dev.cdioutbox.internal.capture.event;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Limits the headers of W3C Trace Context. They may be foreign, and a bad trace must not fail the work. So this class
 * drops the part that is too long, as the specification says (level 2, 3.3.1.5).
 */
final class TraceHeaders {
    private static final int MAX_PARENT = 128;
    private static final int MAX_STATE = 512;
    private static final int MAX_MEMBERS = 32;
    private static final int LONG_MEMBER = 128;
    private static final Pattern PRINTABLE = Pattern.compile("[\\x20-\\x7e\\t]+");

    private TraceHeaders() {}

    /** The part of a header that can be stored and sent; null if there is none. */
    static String fitting(String name, String value) {
        if (value == null || value.isBlank() || !PRINTABLE.matcher(value).matches()) {
            return null;
        }
        return name.equals("tracestate") ? state(value) : value.length() <= MAX_PARENT ? value : null;
    }

    /** Drops whole members: the long ones first, then the last ones, which are the oldest. */
    private static String state(String value) {
        if (value.length() <= MAX_STATE) {
            return value;
        }
        List<String> members = Arrays.stream(value.split(","))
                .map(String::strip)
                .filter(member -> !member.isEmpty())
                .limit(MAX_MEMBERS)
                .collect(Collectors.toCollection(ArrayList::new));
        for (int i = members.size() - 1; i >= 0 && length(members) > MAX_STATE; i--) {
            if (members.get(i).length() > LONG_MEMBER) {
                members.remove(i);
            }
        }
        while (length(members) > MAX_STATE) {
            members.remove(members.size() - 1);
        }
        return members.isEmpty() ? null : String.join(",", members);
    }

    private static int length(List<String> members) {
        return members.stream().mapToInt(member -> member.length() + 1).sum() - 1;
    }
}
