package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Properties;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** The server that Arquillian runs, as it is seen from outside of it. */
public final class ManagedServer {
    private static final Path HOME =
            Path.of(System.getProperty("liberty.usr"), "servers", System.getProperty("test.server"));

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

    /** Puts an application where the server looks for one, and does not wait for what becomes of it. */
    public static void drop(WebArchive application) {
        Path file = HOME.resolve("dropins").resolve(application.getName());
        application.as(ZipExporter.class).exportTo(file.toFile(), true);
        tell(List.of(file.toString()), List.of());
    }

    /** Takes it away again. */
    public static void remove(WebArchive application) {
        Path file = HOME.resolve("dropins").resolve(application.getName());
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        tell(List.of(), List.of(file.toString()));
    }

    /** The server looks when it is told to. */
    private static void tell(List<String> created, List<String> deleted) {
        Path address = HOME.resolve("logs/state/com.ibm.ws.jmx.local.address");
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(Files.readString(address)))) {
            connector
                    .getMBeanServerConnection()
                    .invoke(
                            new ObjectName("WebSphere:service=com.ibm.ws.kernel.filemonitor.FileNotificationMBean"),
                            "notifyFileChanges",
                            new Object[] {created, List.of(), deleted},
                            Collections.nCopies(3, Collection.class.getName()).toArray(new String[0]));
        } catch (IOException | JMException e) {
            throw new IllegalStateException(e);
        }
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
