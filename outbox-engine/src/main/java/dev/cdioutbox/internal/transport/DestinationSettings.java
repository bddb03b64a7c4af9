package dev.cdioutbox.internal.transport;

/**
 * What a transport needs to know of the configuration to send to a destination, from one snapshot.
 *
 * @param exactlyOnce whether a batch is sent and settled together
 * @param messagingLimit how many bytes of a message Liberty's messaging can commit; {@link Long#MAX_VALUE} for a
 *     destination elsewhere, or if it is not known
 * @param largestSend as large as a message may be, in bytes, but no larger than a batch
 */
public record DestinationSettings(
        TransportDestination destination,
        MessageOptions options,
        boolean exactlyOnce,
        long messagingLimit,
        int largestSend) {}
