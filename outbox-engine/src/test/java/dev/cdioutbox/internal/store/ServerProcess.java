package dev.cdioutbox.internal.store;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The process of a MariaDB or MySQL server, which ends with this JVM, even if the JVM is killed. The tests of other
 * modules use this class too, so it needs no other class of this project.
 */
final class ServerProcess {
    /** Below the build directory, so that {@code mvn clean} deletes the files. */
    static final Path DATABASES = Path.of("target", "databases");

    /**
     * Attempts to start. Another process may take the free port before the server binds it; the next attempt takes
     * another port.
     */
    private static final int PORTS = 5;

    private static final long PATIENCE = 120;

    private final Product product;
    private final Path data;
    private final int port;
    private Process shell;

    private ServerProcess(Product product, Path data, int port) {
        this.product = product;
        this.data = data;
        this.port = port;
    }

    /** The steps that differ between the two products. */
    interface Product {
        /** Creates the system tables in an empty folder. */
        void initialize(Path data) throws IOException, InterruptedException;

        /** The command of the server, without port and socket. */
        List<String> command(Path data);
    }

    /**
     * Starts a server with an empty database.
     *
     * @param givenPort the port; 0 for a free one
     */
    static ServerProcess start(String name, int givenPort, Product product) {
        try {
            for (int attempt = 1; attempt <= PORTS; attempt++) {
                Path data = Files.createTempDirectory(Files.createDirectories(DATABASES), "outbox-" + name)
                        .toAbsolutePath();
                product.initialize(data);
                ServerProcess process = new ServerProcess(product, data, givenPort == 0 ? freePort() : givenPort);
                if (process.start()) {
                    return process;
                }
            }
            throw new IOException(name + " found no free port; see the logs in " + DATABASES.toAbsolutePath());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    int port() {
        return port;
    }

    /** Starts the server again after {@link #kill}, with its data. */
    void restart() {
        try {
            if (!start()) {
                throw new IOException("port " + port + " is taken");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** Kills the server with {@code kill -9}, and keeps its data. */
    void kill() {
        List<ProcessHandle> server = shell.descendants().toList();
        shell.destroyForcibly();
        server.forEach(ProcessHandle::destroyForcibly);
        server.forEach(process -> process.onExit().join());
    }

    /** @return false if the port is taken */
    private boolean start() throws IOException, InterruptedException {
        Files.deleteIfExists(log(data).toPath());
        // The shell kills the server when the shell's input ends. So even a killed JVM leaves neither the server nor
        // its files.
        List<String> command = new ArrayList<>(List.of(
                "sh", "-c", "\"$@\" < /dev/null & cat > /dev/null; kill -9 $!; wait; rm -rf \"$0\"", data.toString()));
        command.addAll(product.command(data));
        command.addAll(List.of(
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + data.resolve("socket"),
                "--skip-name-resolve"));
        Process started = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log(data))
                .start();
        shell = started;
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(started)));
        long deadline = System.nanoTime() + SECONDS.toNanos(PATIENCE);
        String log = "";
        while (!log.contains("ready for connections")) {
            if (log.contains("Bind on TCP/IP port")) {
                stop(started);
                return false;
            }
            if (!started.isAlive() || System.nanoTime() > deadline) {
                stop(started);
                throw new IOException("the server did not start; see " + log(data));
            }
            Thread.sleep(50);
            log = Files.readString(log(data).toPath());
        }
        return true;
    }

    /** Ends the server, and deletes its data. */
    void close() {
        stop(shell);
    }

    private static void stop(Process shell) {
        try {
            shell.getOutputStream().close();
            shell.waitFor(5, SECONDS);
        } catch (IOException | InterruptedException e) {
            shell.destroy();
        }
    }

    /** Runs a command that ends by itself. */
    static void run(ProcessBuilder command, Path data) throws IOException, InterruptedException {
        Process process =
                command.redirectErrorStream(true).redirectOutput(log(data)).start();
        if (!process.waitFor(PATIENCE, SECONDS) || process.exitValue() != 0) {
            process.destroyForcibly();
            throw new IOException("failed: " + command.command() + "; see " + log(data));
        }
    }

    /** Runs a step that only one of the JVMs of a build may run at a time, such as unpacking a program. */
    static <T> T alone(Path lock, Callable<T> step) {
        try {
            Files.createDirectories(lock.toAbsolutePath().getParent());
            try (FileChannel others = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
                others.lock();
                return step.call();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    static File log(Path data) {
        return data.resolveSibling(data.getFileName() + ".log").toFile();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
