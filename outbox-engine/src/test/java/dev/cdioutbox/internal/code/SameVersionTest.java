package dev.cdioutbox.internal.code;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** An application with jars of two versions is refused. */
class SameVersionTest {
    @Test
    void jarsOfTwoVersionsAreRefused() {
        assertThatThrownBy(() -> SameVersion.require("1.0.1", "outbox-jms", "1.0.0"))
                .hasMessageStartingWith("OBX-0216: ")
                .hasMessageContainingAll("outbox-engine has version 1.0.1", "outbox-jms version 1.0.0");
    }

    @Test
    void jarsOfOneVersionAndClassesWithoutAnyAreNot() {
        assertThatCode(() -> SameVersion.require("1.0.0", "outbox-jms", "1.0.0"))
                .doesNotThrowAnyException();
        assertThatCode(() -> SameVersion.require(null, "outbox-jms", "1.0.0")).doesNotThrowAnyException();
        assertThatCode(() -> SameVersion.require("1.0.0", "outbox-jms", null)).doesNotThrowAnyException();
    }
}
