package dev.cdioutbox.tests.server;

import java.io.File;
import java.nio.file.Path;
import java.util.List;

import org.apache.activemq.broker.BrokerPlugin;
import org.apache.activemq.broker.BrokerService;
import org.apache.activemq.broker.region.DestinationInterceptor;
import org.apache.activemq.broker.region.policy.PolicyEntry;
import org.apache.activemq.broker.region.policy.PolicyMap;
import org.apache.activemq.broker.region.virtual.CompositeDestination;
import org.apache.activemq.broker.region.virtual.CompositeQueue;
import org.apache.activemq.broker.region.virtual.CompositeTopic;
import org.apache.activemq.broker.region.virtual.VirtualDestination;
import org.apache.activemq.broker.region.virtual.VirtualDestinationInterceptor;
import org.apache.activemq.command.ActiveMQQueue;
import org.apache.activemq.store.kahadb.KahaDBPersistenceAdapter;
import org.apache.activemq.store.kahadb.disk.journal.Journal;

/**
 * Runs an ActiveMQ broker as a process of its own. The broker copies the messages of the queue {@code outbox} to
 * {@code copy.outbox}, and of the topic {@code news} to the queue {@code copy.news}.
 */
final class BrokerMain {
    /** The largest frame, in bytes: twice the default limit of a payload, {@code outbox.payload.max-size}. */
    private static final int LARGEST = 2 << 20;

    private BrokerMain() {}

    public static void main(String[] arguments) throws Exception {
        KahaDBPersistenceAdapter store = new KahaDBPersistenceAdapter();
        store.setDirectory(new File(arguments[1]));
        boolean inProduction = Boolean.parseBoolean(arguments[2]);
        if (!inProduction) {
            // The tests kill brokers and never the machine, so a write need not reach the disk.
            store.setJournalDiskSyncStrategy(Journal.JournalDiskSyncStrategy.NEVER.name());
        }
        BrokerService broker = new BrokerService();
        broker.setBrokerName("tests");
        broker.setUseJmx(false);
        broker.setPersistenceAdapter(store);
        broker.setDestinationPolicy(policy());
        if (!inProduction) {
            broker.setPlugins(new BrokerPlugin[] {
                next -> new Trap(next, Path.of(arguments[1]).getParent())
            });
        }
        broker.setDestinationInterceptors(new DestinationInterceptor[] {copies()});
        broker.addConnector("tcp://localhost:" + arguments[0] + "?wireFormat.maxFrameSize=" + LARGEST);
        broker.start();
        JavaProcess.endWithParent();
    }

    private static PolicyMap policy() {
        PolicyEntry policy = new PolicyEntry();
        // With the cache, a restarted broker delivers newer messages before a batch that was prepared before its death.
        policy.setUseCache(false);
        // Otherwise messages without a JMSXGroupID all go to the consumer that has the fewest groups, until it is full.
        policy.setUseConsumerPriority(false);
        PolicyMap policies = new PolicyMap();
        policies.setDefaultEntry(policy);
        return policies;
    }

    private static DestinationInterceptor copies() {
        VirtualDestinationInterceptor interceptor = new VirtualDestinationInterceptor();
        interceptor.setVirtualDestinations(
                new VirtualDestination[] {copy(new CompositeQueue(), "outbox"), copy(new CompositeTopic(), "news")});
        return interceptor;
    }

    private static VirtualDestination copy(CompositeDestination destination, String name) {
        destination.setName(name);
        destination.setForwardTo(List.of(new ActiveMQQueue("copy." + name)));
        destination.setForwardOnly(false);
        return destination;
    }
}
