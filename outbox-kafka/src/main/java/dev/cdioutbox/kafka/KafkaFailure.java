package dev.cdioutbox.kafka;

import dev.cdioutbox.internal.code.Causes;
import dev.cdioutbox.spi.PublishException.Blame;
import org.apache.kafka.common.InvalidRecordException;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.AuthorizationException;
import org.apache.kafka.common.errors.InvalidPidMappingException;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.InvalidTimestampException;
import org.apache.kafka.common.errors.InvalidTopicException;
import org.apache.kafka.common.errors.OutOfOrderSequenceException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.errors.RecordBatchTooLargeException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.errors.UnknownProducerIdException;
import org.apache.kafka.common.errors.UnknownServerException;
import org.apache.kafka.common.errors.UnsupportedCompressionTypeException;
import org.apache.kafka.common.errors.UnsupportedVersionException;

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
        return isOfDestination(failure) || isForgotten(failure) || isOfNodeOrBroker(failure)
                ? Blame.DESTINATION
                : Blame.UNKNOWN;
    }

    /** Whether a new producer may succeed. If a transaction has taken too long, half of the batch may, too. */
    static boolean isOfProducer(Throwable failure) {
        return isForgotten(failure)
                || Causes.any(
                        failure,
                        e -> e instanceof InvalidProducerEpochException || e instanceof ProducerFencedException);
    }

    /** The broker has forgotten the producer, after a long time without a batch for example. */
    private static boolean isForgotten(Throwable failure) {
        return Causes.any(
                failure,
                e -> e instanceof InvalidPidMappingException
                        || e instanceof UnknownProducerIdException
                        || e instanceof OutOfOrderSequenceException);
    }

    /**
     * A codec that this node or the broker cannot load, for example. The broker calls that an unknown error, and snappy has an
     * error of its own. One message alone can use up memory and stack.
     */
    private static boolean isOfNodeOrBroker(Throwable failure) {
        return Causes.any(
                failure,
                e -> e instanceof UnknownServerException
                        || e instanceof UnsupportedCompressionTypeException
                        || e instanceof UnsupportedVersionException
                        || e instanceof Error && !(e instanceof VirtualMachineError) && !(e instanceof AssertionError));
    }

    /** Retriable ones too: the client has tried again until its time-out. */
    private static boolean isOfDestination(Throwable failure) {
        return failure instanceof RetriableException
                || failure instanceof AuthenticationException
                || failure instanceof AuthorizationException
                || failure instanceof InvalidTopicException;
    }
}
