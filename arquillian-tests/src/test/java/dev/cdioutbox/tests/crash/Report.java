package dev.cdioutbox.tests.crash;

import java.io.PrintStream;

/** Writes the reports of a node to the controller, one line each, to standard output. Thread-safe. */
final class Report {
    private final PrintStream out;

    Report(PrintStream out) {
        this.out = out;
    }

    synchronized void line(String line) {
        out.println(line);
        out.flush();
    }
}
