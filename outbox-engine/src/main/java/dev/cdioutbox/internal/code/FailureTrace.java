package dev.cdioutbox.internal.code;

import java.util.Arrays;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where something has failed: the classes and stack frames of a failure, the root cause first. Has no message of an exception,
 * which may quote a payload, so that failures of one origin are equal. {@link FailureReason} has the messages.
 *
 * @param id short, the same for each failure of this origin in a process
 * @param text a line for each exception, and one for each frame, cut
 */
public record FailureTrace(String id, String text) {
    /** In characters of the text: several times what names the place. */
    static final int LENGTH = 4000;

    private static final int ROOT_FRAMES = 20;
    private static final int OTHER_FRAMES = 3;
    private static final int MOST_CAUSES = 20;

    public static FailureTrace of(Throwable failure) {
        List<Throwable> causes = Causes.chain(failure).limit(MOST_CAUSES).collect(Collectors.toList());
        Collections.reverse(causes);
        String all = Stream.concat(
                        lines(causes.get(0), "", ROOT_FRAMES),
                        causes.stream().skip(1).flatMap(cause -> lines(cause, "wrapped by ", OTHER_FRAMES)))
                .collect(Collectors.joining("\n"));
        String text = all.length() > LENGTH ? all.substring(0, LENGTH - 1) + "…" : all;
        return new FailureTrace(HexFormat.of().toHexDigits(text.hashCode()), text);
    }

    private static Stream<String> lines(Throwable cause, String prefix, int frames) {
        StackTraceElement[] trace = cause.getStackTrace();
        return Stream.concat(
                Stream.of(prefix + cause.getClass().getName()),
                Stream.concat(
                        Arrays.stream(trace).limit(frames).map(frame -> "  at " + frame),
                        trace.length > frames ? Stream.of("  … " + (trace.length - frames) + " more") : Stream.of()));
    }

    /** For a line of the log. */
    public String inOneLine() {
        return OneLine.of(text.replaceAll("\\n *", " | "));
    }
}
