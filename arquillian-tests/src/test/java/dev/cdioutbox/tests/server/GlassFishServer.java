package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.stream.Stream;

/** GlassFish or Payara, with a domain of its own. */
public final class GlassFishServer extends JakartaServer {
    private static final String DOMAIN = "shop";
    // Ports of a domain, to which its base is added.
    private static final int ADMIN = 48;
    private static final int HTTP = 80;

    private final Path distribution;
    private final Path domains;
    private final int portBase = freeOffset(ADMIN, HTTP, 37, 38, 39, 66, 76, 81, 86);

    public GlassFishServer(String name, Path distribution) {
        super(name);
        this.distribution = distribution;
        domains = folder.resolve("domains");
        with("AS_JAVA", System.getProperty("java.home"));
        admin(
                folder,
                "--user",
                "admin",
                "create-domain",
                "--domaindir",
                domains.toString(),
                "--portbase",
                String.valueOf(portBase),
                "--nopassword=true",
                DOMAIN);
    }

    private void admin(Path directory, String... arguments) {
        run(directory, asadmin(), arguments);
    }

    private Path asadmin() {
        return distribution.resolve("bin/asadmin");
    }

    /** Calls the running server. */
    public void call(Path directory, String... command) {
        admin(
                directory,
                Stream.concat(Stream.of("--port", String.valueOf(portBase + ADMIN)), Stream.of(command))
                        .toArray(String[]::new));
    }

    @Override
    public void configure(Path script) {
        try {
            Files.copy(
                    script.resolveSibling("postgresql.jar"),
                    domains.resolve(DOMAIN).resolve("lib/postgresql.jar"),
                    StandardCopyOption.REPLACE_EXISTING);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start(url("/"));
        call(script.getParent(), "multimode", "--file", script.toString());
        admin(folder, "stop-domain", "--domaindir", domains.toString(), DOMAIN);
        close();
    }

    @Override
    public URI url(String path) {
        return URI.create("http://localhost:" + (portBase + HTTP) + path);
    }

    @Override
    Process launch() {
        return begin(folder, asadmin(), "start-domain", "--verbose", "--domaindir", domains.toString(), DOMAIN);
    }

    @Override
    public void deploy(Path war) {
        call(folder, "deploy", "--contextroot", "sample", "--name", "sample", war.toString());
    }

    @Override
    public void undeploy(Path war) {
        call(folder, "undeploy", "--target", "server", "sample");
    }
}
