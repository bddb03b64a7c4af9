package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** Guards the message about a missing MicroProfile Config. */
class CurrentConfigTest {

    /** The class path of this test has the API of MicroProfile Config and no implementation. */
    @Test
    void missingMicroProfileConfigIsNamed() {
        assertThatThrownBy(() -> CurrentConfig.loadAll("shop"))
                .hasMessageStartingWith("OBX-0221: MicroProfile Config is missing")
                .hasMessageContaining("mpConfig")
                .hasMessageContaining("classifier testing");
    }
}
