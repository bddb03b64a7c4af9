package dev.cdioutbox.jms.internal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.List;

import dev.cdioutbox.internal.capture.Outboxes;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Test;

class JmsPublisherTest {
    /** Its rows wait: that somebody took a key away is no fault of theirs. */
    @Test
    void destinationThatIsNoLongerConfiguredIsToBlame() {
        JmsPublisher publisher = new JmsPublisher();
        publisher.outboxes = new Outboxes(List.of());

        PublishException refused = catchThrowableOfType(PublishException.class, () -> publisher.open("billing/ledger"));

        assertThat(refused).hasMessageStartingWith("OBX-0504: destination 'billing/ledger' is no longer configured");
        assertThat(refused.blame()).isEqualTo(Blame.DESTINATION);
    }
}
