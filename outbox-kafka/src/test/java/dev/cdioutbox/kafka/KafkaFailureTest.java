package dev.cdioutbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;

import dev.cdioutbox.spi.PublishException.Blame;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.SaslAuthenticationException;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionAbortedException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.junit.jupiter.api.Test;

class KafkaFailureTest {
    private static final Map<Exception, Blame> CASES = Map.of(
            new RecordTooLargeException(), Blame.MESSAGE,
            new InvalidRecordException("without a key"), Blame.MESSAGE,
            new TimeoutException(), Blame.DESTINATION,
            new NotLeaderOrFollowerException(), Blame.DESTINATION,
            new TopicAuthorizationException("orders"), Blame.DESTINATION,
            new SaslAuthenticationException("wrong password"), Blame.DESTINATION,
            new UnknownServerException(), Blame.UNKNOWN,
            new ProducerFencedException("its transaction has timed out"), Blame.UNKNOWN,
            new TransactionAbortedException(), Blame.UNKNOWN,
            new KafkaException("part of a batch"), Blame.UNKNOWN);

    @Test
    void exceptionsTellWhoIsToBlame() {
        CASES.forEach((failure, blame) ->
                assertThat(KafkaFailure.blame(failure)).as(failure.toString()).isEqualTo(blame));
    }
}
