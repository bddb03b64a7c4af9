package dev.cdioutbox.tests.server;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Stream;

/** WildFly. The files of the distribution are links, those that a server changes are copies. */
public final class WildFlyServer extends JakartaServer {
    // Ports of the distribution, to which an offset is added.
    private static final int HTTP = 8080;
    private static final int MANAGEMENT = 9990;

    private final Path home;
    private final int portOffset = freeOffset(HTTP, MANAGEMENT, 8443, 3528, 3529, 4712, 4713);

    public WildFlyServer(Path distribution) {
        super("wildfly");
        try {
            home = Files.createDirectory(folder.resolve("wildfly"));
            link(distribution, home);
            for (String changed : List.of("modules", "standalone")) {
                Files.delete(home.resolve(changed));
            }
            link(distribution.resolve("modules"), Files.createDirectory(home.resolve("modules")));
            LibertyServer.copy(distribution.resolve("standalone"), home.resolve("standalone"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        with("JBOSS_HOME", home);
        with("JAVA_OPTS", "-Xmx512m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
    }

    private static void link(Path from, Path to) throws IOException {
        try (Stream<Path> entries = Files.list(from)) {
            for (Path entry : entries.toList()) {
                Files.createSymbolicLink(to.resolve(entry.getFileName()), entry);
            }
        }
    }

    @Override
    public void configure(Path script) {
        run(script.getParent(), bin("jboss-cli.sh"), "--file=" + script.getFileName());
        run(folder, bin("add-user.sh"), "-a", "-u", "operator", "-p", "try-it", "-g", "outbox-admin");
    }

    private Path bin(String script) {
        return home.resolve("bin").resolve(script);
    }

    @Override
    public URI url(String path) {
        return URI.create("http://localhost:" + (HTTP + portOffset) + path);
    }

    public URI management(String path) {
        return URI.create("http://localhost:" + (MANAGEMENT + portOffset) + path);
    }

    @Override
    Process launch() {
        return begin(
                folder,
                bin("standalone.sh"),
                "--server-config=standalone-full.xml",
                "-Djboss.socket.binding.port-offset=" + portOffset);
    }

    @Override
    public void deploy(Path war) {
        try {
            // In one step: the server looks for new files all the time.
            Path copy = Files.copy(war, folder.resolve(war.getFileName()), StandardCopyOption.REPLACE_EXISTING);
            Files.move(copy, deployed(war), StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void undeploy(Path war) {
        try {
            Files.delete(deployed(war));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        Path done = deployed(war).resolveSibling(war.getFileName() + ".undeployed");
        await("the end of the application").atMost(Patience.LONG).until(() -> Files.exists(done));
    }

    private Path deployed(Path war) {
        return home.resolve("standalone/deployments").resolve(war.getFileName());
    }
}
