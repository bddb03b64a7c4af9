package dev.cdioutbox.internal.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.code.Finding;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Guards the warning about a persistence unit that uses another DataSource than the outbox. */
class PersistenceUnitsTest {
    private static final String DEFAULT = "java:comp/DefaultDataSource";

    @TempDir
    Path folder;

    private final List<URL> jars = new ArrayList<>();

    @Test
    void unitsOfAllFilesAreFound() {
        file(unit("orders", "", "jdbc/orders"), unit("stock", "transaction-type=\"JTA\"", "\n  jdbc/stock  \n"));
        file(unit("invoices", "", "jdbc/invoices"));

        assertThat(PersistenceUnits.dataSources(application()))
                .containsOnly(
                        entry("orders", "jdbc/orders"),
                        entry("stock", "jdbc/stock"),
                        entry("invoices", "jdbc/invoices"));
    }

    @Test
    void unitWithoutADataSourceUsesTheDefaultOne() {
        file("<persistence-unit name=\"orders\"><class>shop.Order</class></persistence-unit>");

        assertThat(PersistenceUnits.dataSources(application())).containsOnly(entry("orders", DEFAULT));
    }

    @Test
    void unitThatIsNotPartOfJtaIsPassedOver() {
        file(
                unit("local", "transaction-type=\"RESOURCE_LOCAL\"", "jdbc/local"),
                unit("orders", "", "jdbc/orders"),
                unit("another", "transaction-type=\"RESOURCE_LOCAL\"", "jdbc/another"));

        assertThat(PersistenceUnits.dataSources(application())).containsOnly(entry("orders", "jdbc/orders"));
    }

    @Test
    void commentsSayNothing() {
        file(
                "<!-- " + unit("old", "", "jdbc/old") + " -->",
                unit("orders", "", "<!-- was jdbc/old -->jdbc/<!-- still -->orders"));

        assertThat(PersistenceUnits.dataSources(application())).containsOnly(entry("orders", "jdbc/orders"));
    }

    @Test
    void dataSourceOutsideOfJtaDoesNotCount() {
        file("<persistence-unit name=\"orders\"><jta-data-source>jdbc/orders</jta-data-source>"
                + "<non-jta-data-source>jdbc/plain</non-jta-data-source></persistence-unit>");

        assertThat(PersistenceUnits.dataSources(application())).containsOnly(entry("orders", "jdbc/orders"));
    }

    @Test
    void unreadableFileIsLeftToThePersistenceProvider() {
        file(unit("orders", "", "jdbc/orders"));
        file("<persistence-unit name=\"broken\">");

        assertThat(PersistenceUnits.dataSources(application())).containsEntry("orders", "jdbc/orders");
    }

    @Test
    void entitiesFromElsewhereAreNotFetched() {
        Path secret = write(folder.resolve("secret"), "jdbc/secret");
        Path jar = folder.resolve("dtd");
        write(
                jar.resolve("META-INF/persistence.xml"),
                "<!DOCTYPE persistence [<!ENTITY secret SYSTEM \"" + secret.toUri() + "\">]><persistence>"
                        + unit("orders", "", "&secret;") + "</persistence>");
        add(jar);

        assertThat(PersistenceUnits.dataSources(application())).doesNotContainValue("jdbc/secret");
    }

    @Test
    void applicationWithoutPersistenceHasNoUnits() {
        assertThat(PersistenceUnits.dataSources(application())).isEmpty();
        assertThat(warnings(DEFAULT)).isEmpty();
    }

    @Test
    void unitsOnAnotherDataSourceAreWarnedOf() {
        file(unit("orders", "", "jdbc/orders"), unit("stock", "", "jdbc/stock"));

        assertThat(warnings("jdbc/orders"))
                .singleElement()
                .asString()
                .startsWith("OBX-0209: the persistence unit 'stock' uses the DataSource jdbc/stock, and the outbox uses"
                        + " jdbc/orders (key outbox.datasource).");
        assertThat(warnings(DEFAULT)).hasSize(2);
    }

    @Test
    void defaultDataSourceIsTheSameWhetherNamedOrNot() {
        file("<persistence-unit name=\"silent\"/>", unit("orders", "", DEFAULT));

        assertThat(warnings(DEFAULT)).isEmpty();
    }

    @Test
    void nameInTheComponentsEnvironmentIsTheSame() {
        file(unit("orders", "", "java:comp/env/jdbc/orders"), unit("stock", "", "jdbc/orders"));

        assertThat(warnings("jdbc/orders")).isEmpty();
        assertThat(warnings("java:comp/env/jdbc/orders")).isEmpty();
    }

    private List<String> warnings(String dataSource) {
        return PersistenceUnits.elsewhere(application(), List.of(dataSource))
                .map(Finding::toString)
                .toList();
    }

    private ClassLoader application() {
        return new URLClassLoader(jars.toArray(URL[]::new), null);
    }

    private static String unit(String name, String attributes, String dataSource) {
        return "<persistence-unit name=\"%s\" %s><jta-data-source>%s</jta-data-source></persistence-unit>"
                .formatted(name, attributes, dataSource);
    }

    private void file(String... units) {
        Path jar = folder.resolve("jar" + jars.size());
        write(
                jar.resolve("META-INF/persistence.xml"),
                "<persistence xmlns=\"https://jakarta.ee/xml/ns/persistence\" version=\"3.0\">" + String.join("", units)
                        + "</persistence>");
        add(jar);
    }

    private void add(Path jar) {
        try {
            jars.add(jar.toUri().toURL());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Path write(Path file, String text) {
        try {
            Files.createDirectories(file.getParent());
            return Files.writeString(file, text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
