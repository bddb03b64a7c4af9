package dev.cdioutbox.tests.tutorial;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The third step of docs/compliance.md works: its pom in an empty folder runs the kit on H2. */
@Timeout(value = 45, unit = TimeUnit.MINUTES)
class CompliancePageIT {

    @Test
    void kitRunsOnH2WithTheFileOfThePage(@TempDir Path outside) throws IOException {
        Path repository = outside.resolve("repository");
        OrdinaryMaven.prepareRepository(repository);
        Path folder = Files.createDirectory(outside.resolve("compliance"));

        Files.copy(
                Path.of(System.getProperty("project.root"), "docs", "compliance", "pom.xml"),
                folder.resolve("pom.xml"));
        try (OrdinaryMaven maven = OrdinaryMaven.start(folder, repository, "test")) {
            maven.awaitSuccess();

            assertThat(maven.log()).contains("Tests run: 8, Failures: 0, Errors: 0, Skipped: 0");
        }
    }
}
