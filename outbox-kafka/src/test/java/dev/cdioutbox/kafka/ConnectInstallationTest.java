package dev.cdioutbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.File;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Without this, the tests of change data capture would find in the class path what the page forgets. */
class ConnectInstallationTest {
    @TempDir
    Path folder;

    @ParameterizedTest
    @ValueSource(
            strings = {
                "jakarta.json.Json",
                "jakarta.ejb.Stateless",
                "dev.cdioutbox.OutboxMessage",
                "dev.cdioutbox.internal.code.OutboxCode",
                "dev.cdioutbox.kafka.connect.OutboxTransform",
                "io.debezium.connector.postgresql.PostgresConnector"
            })
    void workerHasNoPluginAndNoJakartaEe(String name) throws Exception {
        try (URLClassLoader worker = loader(ConnectInstallation.in(folder).classPath())) {
            worker.loadClass("org.apache.kafka.connect.cli.ConnectStandalone");

            assertThatThrownBy(() -> worker.loadClass(name)).isInstanceOf(ClassNotFoundException.class);
        }
    }

    @Test
    void folderHasTheConnectorAndTheThreeJarsOfThePage() throws Exception {
        Path plugin = ConnectInstallation.in(folder).plugins().resolve("outbox");

        try (Stream<Path> jars = Files.list(plugin)) {
            assertThat(jars.map(jar -> jar.getFileName().toString())
                            .filter(name -> !name.matches("(debezium|postgresql|protobuf)-.*")))
                    .containsExactlyInAnyOrder("OutboxTransform.jar", "OutboxCode.jar", "OutboxMessage.jar");
        }
    }

    private static URLClassLoader loader(String classPath) throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String path : classPath.split(File.pathSeparator)) {
            urls.add(Path.of(path).toUri().toURL());
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }
}
