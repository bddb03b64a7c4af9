package dev.cdioutbox.internal.store.claim;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Guards that a claim takes rows in their order only, whatever the database returns. */
class QueueScanTest {
    private final QueueScan scan = new QueueScan(7, 7, 100, 1_000);

    @BeforeEach
    void begin() {
        scan.beginPage(10);
    }

    @Test
    void rowsInTheirOrderAreTaken() {
        scan.requireNext(101, "default");
        scan.requireNext(105, "default");
        scan.beginPage(20);

        assertThatCode(() -> scan.requireNext(101, "default")).doesNotThrowAnyException();
    }

    @Test
    void lowerSequenceAfterAHigherOneFailsTheClaim() {
        scan.requireNext(105, "default");

        assertThatThrownBy(() -> scan.requireNext(104, "default"))
                .hasMessageStartingWith(
                        "OBX-0326: destination 'default': the database returned message 104 after message 105 of queue 7,");
        assertThatThrownBy(() -> scan.requireNext(105, "default")).hasMessageStartingWith("OBX-0326");
        assertThatThrownBy(() -> scan.requireNext(100, "default")).hasMessageStartingWith("OBX-0326");
    }
}
