package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;

/** The server that Arquillian runs, as it is seen from outside of it. */
public final class ManagedServer {
    private static final Path HOME = Path.of(System.getProperty("liberty.usr"), "servers", "arquillian");

    private ManagedServer() {}

    public static URI url(String path) {
        Properties bootstrap = new Properties();
        try (Reader file = Files.newBufferedReader(HOME.resolve("bootstrap.properties"))) {
            bootstrap.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return URI.create("http://localhost:" + bootstrap.getProperty("http.port") + path);
    }

    /** What the server has logged so far. */
    public static String log() {
        try {
            return Files.readString(HOME.resolve("logs/messages.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
