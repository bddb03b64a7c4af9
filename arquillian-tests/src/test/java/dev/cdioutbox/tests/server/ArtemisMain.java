package dev.cdioutbox.tests.server;

import java.nio.file.Path;

import org.apache.activemq.artemis.api.core.QueueConfiguration;
import org.apache.activemq.artemis.api.core.RoutingType;
import org.apache.activemq.artemis.core.config.Configuration;
import org.apache.activemq.artemis.core.config.CoreAddressConfiguration;
import org.apache.activemq.artemis.core.config.DivertConfiguration;
import org.apache.activemq.artemis.core.config.impl.ConfigurationImpl;
import org.apache.activemq.artemis.core.server.JournalType;
import org.apache.activemq.artemis.core.server.embedded.EmbeddedActiveMQ;
import org.apache.activemq.artemis.core.settings.impl.AddressFullMessagePolicy;
import org.apache.activemq.artemis.core.settings.impl.AddressSettings;

/**
 * Runs an Artemis broker as a process of its own. The broker copies the messages of the address {@code outbox} to {@code
 * copy.outbox}. The address {@code small} has room for a few messages, and refuses more.
 */
final class ArtemisMain {
    private static final int A_FEW_MESSAGES = 50_000;

    private ArtemisMain() {}

    public static void main(String[] arguments) throws Exception {
        Path store = Path.of(arguments[1]);
        Configuration configuration = new ConfigurationImpl()
                .setSecurityEnabled(false)
                .setJournalType(JournalType.NIO)
                // The tests kill brokers and never the machine, so a write need not reach the disk.
                .setJournalDatasync(false)
                .setJournalDirectory(store.resolve("journal").toString())
                .setBindingsDirectory(store.resolve("bindings").toString())
                .setPagingDirectory(store.resolve("paging").toString())
                .setLargeMessagesDirectory(store.resolve("large").toString())
                .setNodeManagerLockDirectory(store.toString())
                .addAcceptorConfiguration("tcp", "tcp://localhost:" + arguments[0])
                .addAddressConfiguration(queue("outbox"))
                .addAddressConfiguration(queue("copy.outbox"))
                .addAddressConfiguration(queue("small"))
                .addDivertConfiguration(new DivertConfiguration()
                        .setName("copy")
                        .setAddress("outbox")
                        .setForwardingAddress("copy.outbox"))
                .addAddressSetting(
                        "small",
                        new AddressSettings()
                                .setAddressFullMessagePolicy(AddressFullMessagePolicy.FAIL)
                                .setMaxSizeBytes(A_FEW_MESSAGES))
                // A consumer fails while the database is away: no message may be put aside for that.
                .addAddressSetting("outbox", new AddressSettings().setMaxDeliveryAttempts(-1));
        new EmbeddedActiveMQ().setConfiguration(configuration).start();
        JavaProcess.endWithParent();
    }

    private static CoreAddressConfiguration queue(String name) {
        return new CoreAddressConfiguration()
                .setName(name)
                .addRoutingType(RoutingType.ANYCAST)
                .addQueueConfig(QueueConfiguration.of(name).setRoutingType(RoutingType.ANYCAST));
    }
}
