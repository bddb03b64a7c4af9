package dev.cdioutbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import dev.cdioutbox.spi.PublishException.Blame;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnsupportedCompressionTypeException;
import org.apache.kafka.common.errors.UnsupportedVersionException;
import org.junit.jupiter.api.Test;

class KafkaFailureTest {
    private static final Map<Exception, Blame> CASES = Map.ofEntries(
            Map.entry(new RecordTooLargeException(), Blame.MESSAGE),
            Map.entry(new InvalidRecordException("without a key"), Blame.MESSAGE),
            Map.entry(new TimeoutException(), Blame.DESTINATION),
            Map.entry(new NotLeaderOrFollowerException(), Blame.DESTINATION),
            Map.entry(new TopicAuthorizationException("orders"), Blame.DESTINATION),
            Map.entry(new SaslAuthenticationException("wrong password"), Blame.DESTINATION),
            Map.entry(new UnknownServerException(), Blame.DESTINATION),
            Map.entry(new UnsupportedCompressionTypeException("zstd"), Blame.DESTINATION),
            Map.entry(new UnsupportedVersionException("old"), Blame.DESTINATION),
            Map.entry(new InvalidPidMappingException("expired"), Blame.DESTINATION),
            Map.entry(
                    new KafkaException("in an error state", new UnknownProducerIdException("expired")),
                    Blame.DESTINATION),
            Map.entry(new KafkaException(new InvalidProducerEpochException("timed out")), Blame.UNKNOWN),
            Map.entry(new OutOfOrderSequenceException("forgotten"), Blame.DESTINATION),
            Map.entry(new KafkaException(new UnsatisfiedLinkError("no codec")), Blame.DESTINATION),
            Map.entry(new KafkaException(new Error("a codec's own")), Blame.DESTINATION),
            Map.entry(new KafkaException(new OutOfMemoryError("a large message")), Blame.UNKNOWN),
            Map.entry(new ProducerFencedException("its transaction has timed out"), Blame.UNKNOWN),
            Map.entry(new TransactionAbortedException(), Blame.UNKNOWN),
            Map.entry(new KafkaException("part of a batch"), Blame.UNKNOWN));

    @Test
    void exceptionsTellWhoIsToBlame() {
        CASES.forEach((failure, blame) ->
                assertThat(KafkaFailure.blame(failure)).as(failure.toString()).isEqualTo(blame));
    }
}
