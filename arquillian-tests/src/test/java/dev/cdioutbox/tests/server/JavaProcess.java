package dev.cdioutbox.tests.server;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A broker as a JVM of its own, with the class path of the tests. It ends with the tests, even if they are killed. */
final class JavaProcess {

    private final Process process;

    private JavaProcess(Process process) {
        this.process = process;
    }

    /** Starts the main class, and waits until it accepts connections at the port, which is its first argument. */
    static JavaProcess start(Class<?> main, List<String> options, Path home, int port, Object... arguments) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx512m");
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName(), String.valueOf(port)));
        List.of(arguments).forEach(argument -> command.add(String.valueOf(argument)));
        Path log = home.resolve("console.log");
        Process process;
        try {
            process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        await("the broker at port " + port + ", log " + log)
                .atMost(Patience.LONG)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> process.isAlive() && accepts(port));
        return new JavaProcess(process);
    }

    private static boolean accepts(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            return false;
        }
    }

    /** Ends the broker with the tests: they hold the other end of standard input, and a killed JVM closes it too. */
    static void endWithParent() throws IOException {
        while (System.in.read() >= 0) {
            // The tests write nothing; the read returns at the end of the stream.
        }
        System.exit(0);
    }

    boolean isAlive() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    ProcessHandle handle() {
        return process.toHandle();
    }

    /** kill -9 */
    void kill() {
        process.destroyForcibly();
        process.onExit().join();
    }

    /** Stops in an orderly way. */
    void stop() {
        process.destroy();
        process.onExit().join();
    }
}
