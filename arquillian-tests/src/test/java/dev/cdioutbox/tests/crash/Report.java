package dev.cdioutbox.tests.crash;

import java.io.PrintStream;

/** The reports of a node to the controller, a line each, on its standard output. Thread-safe. */
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
