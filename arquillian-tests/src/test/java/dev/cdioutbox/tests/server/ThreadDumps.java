package dev.cdioutbox.tests.server;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.PreInterruptCallback;
import org.junit.jupiter.api.extension.PreInterruptContext;

/**
 * Prints the threads of each JVM that the tests have started, before JUnit interrupts a test at its time-out. A hang is
 * most likely in a server, and JUnit prints the threads of the tests' own JVM only.
 */
public final class ThreadDumps implements PreInterruptCallback {
    @Override
    public void beforeThreadInterrupt(PreInterruptContext interrupted, ExtensionContext test) {
        printAll(test.getDisplayName());
    }

    static void printAll(String cause) {
        ProcessHandle.current()
                .descendants()
                .filter(ThreadDumps::isJava)
                .forEach(process -> print(process.pid(), cause));
    }

    private static void print(long pid, String cause) {
        System.out.printf("Time-out of %s. Threads of the JVM with process id %d:%n%s%n", cause, pid, of(pid));
    }

    static boolean isJava(ProcessHandle process) {
        return process.info().command().orElse("").endsWith("java");
    }

    /** The threads of a JVM, or why it does not tell them. */
    static String of(long pid) {
        return Jcmd.answer(pid, "Thread.print");
    }
}
