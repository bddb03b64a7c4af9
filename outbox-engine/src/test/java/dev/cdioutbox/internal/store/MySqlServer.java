package dev.cdioutbox.internal.store;

import static java.util.concurrent.TimeUnit.MINUTES;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import org.junit.jupiter.api.Assumptions;

/**
 * A MySQL server from Debian's package, in a time zone that no JVM of the tests has. It ends with this JVM. The package
 * is only in Debian's unstable distribution, so its version cannot be fixed, and other systems do not have it: there, the
 * tests on MySQL are skipped, and say so.
 */
public final class MySqlServer implements ServerProcess.Product, KillableDatabase {
    /**
     * A thread of its own starts the server: the interrupt of a test would leave this class unusable for all other
     * tests. Null without the package.
     */
    private static final CompletableFuture<MySqlServer> SHARED =
            CompletableFuture.supplyAsync(MySqlServer::start, start -> new Thread(start, "MySQL").start());

    private final Path root;
    private ServerProcess process;

    private MySqlServer(Path root) {
        this.root = root;
    }

    /** The JDBC URL of a database on the server that the tests of this JVM share, for root. Starts it if need be. */
    public static String url(String database) {
        return orSkipped(SHARED.join()).urlOf(database, "root");
    }

    /** A server that a test can kill. */
    public static MySqlServer fresh() {
        return orSkipped(start());
    }

    private static MySqlServer orSkipped(MySqlServer server) {
        if (server == null) {
            Assumptions.abort("Debian's package of MySQL could not be had; see "
                    + folder().resolve("fetch.log").toAbsolutePath());
        }
        return server;
    }

    private static MySqlServer start() {
        Path root = ServerProcess.alone(folder().resolve("lock"), MySqlServer::fetched);
        if (root == null) {
            return null;
        }
        MySqlServer server = new MySqlServer(root);
        server.process = ServerProcess.start("mysql", 0, server);
        return server;
    }

    @Override
    public String urlOf(String database, String user) {
        return "jdbc:mysql://127.0.0.1:%d/%s?user=%s&sslMode=DISABLED&allowPublicKeyRetrieval=true"
                .formatted(process.port(), database, user);
    }

    @Override
    public int port() {
        return process.port();
    }

    @Override
    public void kill() {
        process.kill();
    }

    @Override
    public void restart() {
        process.restart();
    }

    @Override
    public void close() {
        process.close();
    }

    /** The folder of the package: one for all modules, since the package is large. */
    private static Path folder() {
        return Path.of("..", "target", "mysql");
    }

    /** Fetches and unpacks once. Null if this system has no such package, or no network. */
    private static Path fetched() throws IOException, InterruptedException {
        Path root = folder().resolve("root").toAbsolutePath().normalize();
        if (Files.notExists(root)) {
            File log = folder().resolve("fetch.log").toFile();
            Process fetch;
            try (InputStream script = MySqlServer.class.getResourceAsStream("fetch-mysql.sh")) {
                fetch = new ProcessBuilder(
                                "sh",
                                "-s",
                                folder().toAbsolutePath().normalize().toString())
                        .redirectErrorStream(true)
                        .redirectOutput(log)
                        .start();
                script.transferTo(fetch.getOutputStream());
                fetch.getOutputStream().close();
            }
            if (!fetch.waitFor(5, MINUTES) || fetch.exitValue() != 0) {
                fetch.destroyForcibly();
                return null;
            }
        }
        return root;
    }

    @Override
    public void initialize(Path data) throws IOException, InterruptedException {
        ServerProcess.run(new ProcessBuilder(server(data, "--initialize-insecure")), data);
        // The names are not resolved, so root's own entry for localhost matches no connection over TCP.
        Files.writeString(users(data), """
                CREATE USER IF NOT EXISTS root@'127.0.0.1';
                GRANT ALL ON *.* TO root@'127.0.0.1' WITH GRANT OPTION;
                """);
    }

    private static Path users(Path data) {
        return data.resolveSibling(data.getFileName() + ".sql");
    }

    @Override
    public List<String> command(Path data) {
        return server(
                data,
                "--init-file=" + users(data),
                "--mysqlx=OFF",
                "--default-time-zone=-03:30",
                // The data must survive a crash of the server, but not one of the machine.
                "--skip-log-bin",
                "--innodb-flush-log-at-trx-commit=2",
                "--innodb-doublewrite=OFF",
                "--innodb-file-per-table=0");
    }

    /** With the package's own C library, since that of this system may be older. */
    private List<String> server(Path data, String... more) {
        List<String> command = new ArrayList<>(List.of(
                root.resolve("usr/lib64/ld-linux-x86-64.so.2").toString(),
                "--library-path",
                root.resolve("usr/lib/x86_64-linux-gnu").toString(),
                root.resolve("usr/sbin/mysqld").toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--basedir=" + root.resolve("usr"),
                "--datadir=" + data,
                "--lc-messages-dir=" + root.resolve("usr/share/mysql"),
                "--character-sets-dir=" + root.resolve("usr/share/mysql/charsets"),
                "--plugin-dir=" + root.resolve("usr/lib/mysql/plugin"),
                "--secure-file-priv=NULL"));
        command.addAll(List.of(more));
        return command;
    }
}
