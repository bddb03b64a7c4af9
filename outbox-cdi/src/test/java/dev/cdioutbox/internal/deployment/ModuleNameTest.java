package dev.cdioutbox.internal.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Optional;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Guards that an application keeps its name when its version changes. */
class ModuleNameTest {

    @ParameterizedTest
    @CsvSource({
        "shop,                        shop",
        "shop-1.2.3,                  shop",
        "shop-1.2.3-SNAPSHOT,         shop",
        "shop-1.2.3.Final,            shop",
        "shop-2.0-rc1,                shop",
        "shop-1.0-20261122.190132-7,  shop",
        "shop-v1.2,                   shop",
        "shop-2-SNAPSHOT,             shop",
        "web-shop-1.2.3,              web-shop",
        // Two modules may differ by a number alone.
        "shop-2,                      shop-2",
        "shop2.1,                     shop2.1",
        "shop-eu,                     shop-eu",
        "-1.2.3,                      -1.2.3"
    })
    void versionIsLeftOut(String module, String expected) {
        assertThat(ModuleName.withoutVersion(module)).isEqualTo(expected);
    }

    /** The locations of jars on Liberty: of a WAR in an EAR, of an expanded WAR, and of a WAR. */
    @ParameterizedTest
    @CsvSource({
        "file:/wlp/cache/.cache/.cache/shop-1.2.3.war/WEB-INF/lib/outbox-cdi.jar,  shop-1.2.3",
        "file:/wlp/apps/expanded/all.ear/shop.war/WEB-INF/lib/outbox-cdi.jar,      shop",
        "jar:file:/apps/shop.war!/WEB-INF/lib/outbox-cdi.jar,                      shop",
        "file:/wlp/cache/.cache/WEB-INF/lib/outbox-cdi.jar,",
        "null,"
    })
    void warIsFoundWhereItsJarsComeFromIt(String location, String expected) {
        assertThat(ModuleName.war(location)).isEqualTo(Optional.ofNullable(expected));
    }

    @Test
    void longNameIsCutToTheWidthOfItsColumn() {
        assertThat(ModuleName.withoutVersion("x".repeat(65))).isEqualTo("x".repeat(64));
    }

    /** This JVM has no naming service. */
    @Test
    void unknownNameIsTheDefault() {
        assertThat(ModuleName.find()).isEqualTo("default");
    }
}
