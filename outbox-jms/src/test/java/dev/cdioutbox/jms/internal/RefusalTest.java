package dev.cdioutbox.jms.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;

import jakarta.jms.InvalidDestinationException;
import jakarta.jms.JMSException;
import jakarta.jms.JMSSecurityException;
import jakarta.jms.MessageFormatException;
import jakarta.jms.ResourceAllocationException;

import dev.cdioutbox.spi.PublishException.Blame;
import org.junit.jupiter.api.Test;

class RefusalTest {

    @Test
    void messageThatCanNeverBeSentIsToBlame() {
        assertThat(Refusal.blame(new MessageFormatException("no text"))).isEqualTo(Blame.MESSAGE);
        JMSException linked = new JMSException("too large", "41300");
        linked.setLinkedException(new MaxFrameSizeExceededException());
        assertThat(Refusal.blame(linked)).isEqualTo(Blame.MESSAGE);
        JMSException caused = new JMSException("too large", "41300");
        caused.initCause(new MaxFrameSizeExceededException());
        assertThat(Refusal.blame(caused)).isEqualTo(Blame.MESSAGE);
    }

    @Test
    void destinationThatIsNotThereOrClosedToUsIsToBlame() {
        assertThat(Refusal.blame(new InvalidDestinationException("gone"))).isEqualTo(Blame.DESTINATION);
        assertThat(Refusal.blame(new JMSSecurityException("closed"))).isEqualTo(Blame.DESTINATION);
    }

    @Test
    void nobodyKnowsWhatElseFailed() {
        assertThat(Refusal.blame(new ResourceAllocationException("full"))).isEqualTo(Blame.UNKNOWN);
        JMSException caused = new JMSException("cut off");
        caused.initCause(new IOException("cut off"));
        assertThat(Refusal.blame(caused)).isEqualTo(Blame.UNKNOWN);
    }

    /** As ActiveMQ calls it. */
    private static final class MaxFrameSizeExceededException extends IOException {
        private static final long serialVersionUID = 1L;
    }
}
