package dev.cdioutbox.tests.server;

import java.io.File;
import java.io.IOException;
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

/** An ActiveMQ broker, to be started as a process. What enters the queue {@code outbox} or the topic
 * {@code news} is in the queue {@code copy.outbox} or {@code copy.news} too. */
final class BrokerMain {
    /** Larger than the outbox takes by default. */
    private static final int LARGEST = 2 << 20;

    private BrokerMain() {}

    public static void main(String[] arguments) throws Exception {
        KahaDBPersistenceAdapter store = new KahaDBPersistenceAdapter();
        store.setDirectory(new File(arguments[1]));
        // Brokers are killed in the tests, but not this machine.
        store.setJournalDiskSyncStrategy(Journal.JournalDiskSyncStrategy.NEVER.name());
        BrokerService broker = new BrokerService();
        broker.setBrokerName("tests");
        broker.setUseJmx(false);
        broker.setPersistenceAdapter(store);
        broker.setDestinationPolicy(inOrderOfTheStore());
        broker.setPlugins(
                new BrokerPlugin[] {next -> new Trap(next, Path.of(arguments[1]).getParent())});
        broker.setDestinationInterceptors(new DestinationInterceptor[] {copies()});
        broker.addConnector("tcp://localhost:" + arguments[0] + "?wireFormat.maxFrameSize=" + LARGEST);
        broker.start();
        endWithParent();
    }

    /** With its cache it hands out what came after its own restart before what it had prepared until then. */
    private static PolicyMap inOrderOfTheStore() {
        PolicyEntry policy = new PolicyEntry();
        policy.setUseCache(false);
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

    /** The tests hold the other end; however they end, no process is left behind. */
    private static void endWithParent() throws IOException {
        while (System.in.read() >= 0) {
            // nobody writes
        }
        System.exit(0);
    }
}
