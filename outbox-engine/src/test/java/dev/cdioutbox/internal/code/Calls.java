package dev.cdioutbox.internal.code;

import java.util.ArrayList;
import java.util.List;

/** Finds the arguments of a call in a source file, as far as this project needs it. */
final class Calls {
    private Calls() {}

    /** The arguments of a call, from the position right behind the opening parenthesis. */
    static List<String> arguments(String source, int start) {
        List<String> arguments = new ArrayList<>();
        int depth = 0;
        boolean quoted = false;
        int from = start;
        for (int i = start; ; i++) {
            char c = source.charAt(i);
            if (c == '"' && source.charAt(i - 1) != '\\') {
                quoted = !quoted;
            } else if (!quoted && c == '(') {
                depth++;
            } else if (!quoted && (c == ',' || c == ')') && depth == 0) {
                String argument = source.substring(from, i).strip();
                if (!argument.isEmpty()) {
                    arguments.add(argument);
                }
                from = i + 1;
                if (c == ')') {
                    return arguments;
                }
            } else if (!quoted && c == ')') {
                depth--;
            }
        }
    }

    /** Whether an argument is a caught exception, by the names that this project uses. */
    static boolean isFailure(String argument) {
        return argument.equals("e") || argument.equals("cause");
    }
}
