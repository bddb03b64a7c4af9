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

/** Access from the test's JVM to the server that Arquillian runs. */
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

    /** Drops an application into the server's folder, and does not wait for the outcome of the deployment. */
    public static void drop(WebArchive application) {
        Path file = HOME.resolve("dropins").resolve(application.getName());
        application.as(ZipExporter.class).exportTo(file.toFile(), true);
        tell(List.of(file.toString()), List.of());
    }

    /** Removes an application that {@link #drop} added. */
    public static void remove(WebArchive application) {
        Path file = HOME.resolve("dropins").resolve(application.getName());
        try {
            Files.delete(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        tell(List.of(), List.of(file.toString()));
    }

    /** Notifies the server of changed files: with updateTrigger="mbean" it does not look for changes itself. */
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

    /** Returns all that the server has logged so far. */
    public static String log() {
        try {
            return Files.readString(HOME.resolve("logs/messages.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
