package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The git working copy that the build runs in. */
public final class WorkingCopy {
    private WorkingCopy() {}

    /** Returns the commit under test; "unknown" without a git working copy. */
    public static String commit() {
        try {
            Process git = new ProcessBuilder("git", "describe", "--always", "--dirty").start();
            String answer = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
            return answer.isEmpty() ? "unknown" : answer;
        } catch (IOException noGit) {
            return "unknown";
        }
    }
}
