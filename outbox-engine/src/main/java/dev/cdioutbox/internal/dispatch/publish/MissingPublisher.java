package dev.cdioutbox.internal.dispatch.publish;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.spi.PublishException;
import dev.cdioutbox.spi.PublishException.Blame;

/** In place of the transport of a destination that is not configured on this node. */
final class MissingPublisher implements OutboxPublisher {

    @Override
    public boolean joinsTransactions() {
        return true;
    }

    @Override
    public Sender open(DestinationId destination) throws PublishException {
        throw missing(destination);
    }

    @Override
    public void probe(DestinationId destination) throws PublishException {
        throw missing(destination);
    }

    @Override
    public void checkRoom(DestinationId destination) throws PublishException {
        throw missing(destination);
    }

    @Override
    public String describe(DestinationId destination) throws PublishException {
        throw missing(destination);
    }

    private static PublishException missing(DestinationId destination) {
        return new PublishException(Blame.DESTINATION, OutboxCode.NOT_CONFIGURED.text(destination), null);
    }
}
