package dev.cdioutbox.internal.ejb;

import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;

import dev.cdioutbox.internal.store.node.ThisNode;

/** Names this process as a node of an outbox. Each start has another id. */
final class NodeIdentity {
    private NodeIdentity() {}

    /** @param module the name of the deployed module */
    static ThisNode of(String module) {
        String version = NodeIdentity.class.getPackage().getImplementationVersion();
        String id = UUID.randomUUID().toString();
        long process = ProcessHandle.current().pid();
        return new ThisNode(id, module, host(), server(), process, version == null ? "unknown" : version);
    }

    /** As Open Liberty, WildFly or GlassFish names it. */
    private static String server() {
        return Stream.of("wlp.server.name", "jboss.server.name", "com.sun.aas.instanceName")
                .map(System::getProperty)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse("unknown");
    }

    private static String host() {
        try {
            return InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException nameless) {
            // The host name is information only; the name of the runtime is good enough.
            return ManagementFactory.getRuntimeMXBean().getName();
        }
    }
}
