package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.PreInterruptCallback;
import org.junit.jupiter.api.extension.PreInterruptContext;

/**
 * Prints the threads of each JVM that the tests have started, before JUnit interrupts a test at its time-out. A hang is
 * most likely in a server, and JUnit prints the threads of the tests' own JVM only.
 */
public final class ThreadDumps implements PreInterruptCallback {
    private static final long SECONDS_FOR_A_DUMP = 20;

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
        try {
            // A file and no pipe: a server's threads are more text than a pipe holds, and jcmd would wait for a reader.
            Path dump = Files.createTempFile("threads", ".txt");
            Process jcmd = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            String.valueOf(pid),
                            "Thread.print")
                    .redirectErrorStream(true)
                    .redirectOutput(dump.toFile())
                    .start();
            boolean answered = jcmd.waitFor(SECONDS_FOR_A_DUMP, TimeUnit.SECONDS);
            if (!answered) {
                jcmd.destroyForcibly();
            }
            String threads = Files.readString(dump);
            Files.delete(dump);
            return answered ? threads : "it did not answer: " + threads;
        } catch (IOException e) {
            return e.toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e.toString();
        }
    }
}
