package dev.cdioutbox.kafka;

import dev.cdioutbox.spi.PublishException.Blame;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;

/** Classifies Kafka's failures: is the message or the destination to blame? */
final class KafkaFailure {
    private KafkaFailure() {}

    static Blame blame(Throwable failure) {
        if (failure instanceof RecordTooLargeException
                || failure instanceof InvalidRecordException
                || failure instanceof InvalidTimestampException) {
            return Blame.MESSAGE;
        }
        if (failure instanceof RecordBatchTooLargeException) {
            return Blame.DESTINATION_FULL;
        }
        return isOfDestination(failure) ? Blame.DESTINATION : Blame.UNKNOWN;
    }

    /** Retriable ones too: the client has tried again until its time-out. */
    private static boolean isOfDestination(Throwable failure) {
        return failure instanceof RetriableException
                || failure instanceof AuthenticationException
                || failure instanceof AuthorizationException
                || failure instanceof InvalidTopicException;
    }
}
