package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Asks a JVM that the tests have started. */
final class Jcmd {
    private static final long SECONDS_FOR_AN_ANSWER = 20;

    private Jcmd() {}

    /** Returns the JVM's answer to a command of jcmd, or why there is none. */
    static String answer(long pid, String command) {
        try {
            // A file and no pipe: a server's threads are more text than a pipe holds, and jcmd would wait for a reader.
            Path file = Files.createTempFile("jcmd", ".txt");
            Process jcmd = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "jcmd")
                                    .toString(),
                            String.valueOf(pid),
                            command)
                    .redirectErrorStream(true)
                    .redirectOutput(file.toFile())
                    .start();
            boolean answered = jcmd.waitFor(SECONDS_FOR_AN_ANSWER, TimeUnit.SECONDS);
            if (!answered) {
                jcmd.destroyForcibly();
            }
            String answer = Files.readString(file);
            Files.delete(file);
            return answered ? answer : "it did not answer: " + answer;
        } catch (IOException e) {
            return e.toString();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return e.toString();
        }
    }
}
