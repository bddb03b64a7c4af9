package dev.cdioutbox.jms.internal.consume;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** An application with jars of two versions is refused. */
class JmsExtensionTest {
    @Test
    void jarsOfTwoVersionsAreRefused() {
        assertThatThrownBy(() -> JmsExtension.requireSameVersion("1.0.1", "1.0.0"))
                .hasMessageStartingWith("OBX-0216: ")
                .hasMessageContainingAll("outbox-cdi has version 1.0.1", "outbox-jms version 1.0.0");
    }

    @Test
    void jarsOfOneVersionAndClassesWithoutAnyAreNot() {
        assertThatCode(() -> JmsExtension.requireSameVersion("1.0.0", "1.0.0")).doesNotThrowAnyException();
        assertThatCode(() -> JmsExtension.requireSameVersion(null, "1.0.0")).doesNotThrowAnyException();
        assertThatCode(() -> JmsExtension.requireSameVersion("1.0.0", null)).doesNotThrowAnyException();
    }
}
