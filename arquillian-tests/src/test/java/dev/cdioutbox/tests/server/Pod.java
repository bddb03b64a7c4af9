package dev.cdioutbox.tests.server;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import dev.cdioutbox.tests.server.Http.UnreachableException;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1Probe;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1VolumeMount;

/**
 * A pod of the sample's StatefulSet as a process of this machine. It has the files of the image, and the environment,
 * volumes, probes and stop that the StatefulSet gives it; a test takes the place of the kubelet. The base image's Liberty
 * and Java are those of the tests.
 */
public final class Pod implements AutoCloseable {
    /** The server's name in the base image, which runs {@code server run defaultServer}. */
    private static final String SERVER = "defaultServer";
    /** Another address of this machine than localhost, as a kubelet and a Service have it. */
    private static final String ADDRESS = "127.0.0.2";
    /** A server of the tests lives for a minute. */
    private static final String JVM_ARGUMENTS = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -Xmx512m";

    private final String name;
    private final V1PodSpec spec;
    private final V1Container container;
    private final V1Secret secret;
    private final Path home;
    private final Path config;
    private final int port;
    private final Map<String, String> environment = new HashMap<>();
    private Process process;

    /** Creates the pod with this number and its empty volume. */
    public Pod(KubernetesFiles files, int ordinal) {
        name = files.statefulSet().getMetadata().getName() + "-" + ordinal;
        spec = files.statefulSet().getSpec().getTemplate().getSpec();
        container = spec.getContainers().get(0);
        secret = files.secret();
        try {
            home = LibertyServer.fresh("pod-" + name);
            port = LibertyServer.freePort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        config = home.resolve("usr/servers").resolve(SERVER);
        for (V1EnvVar variable : container.getEnv()) {
            environment.put(variable.getName(), onThisMachine(variable.getValue()));
        }
        with("HTTP_PORT", String.valueOf(port));
        with("HOSTNAME", name);
    }

    /** Sets a variable of the environment that the StatefulSet does not have. */
    public Pod with(String variable, String value) {
        environment.put(variable, value);
        return this;
    }

    /** Replaces the value that the StatefulSet has, such as the name of a host. */
    public Pod replacing(String variable, String value) {
        if (environment.replace(variable, value) == null) {
            throw new IllegalArgumentException("the StatefulSet does not set " + variable);
        }
        return this;
    }

    public String name() {
        return name;
    }

    public URI url(String path) {
        return URI.create("http://" + ADDRESS + ":" + port + path);
    }

    /**
     * Starts the container and waits until the pod is ready. As on Kubernetes, the container must pass the startup probe
     * in time, and only the volumes outlive an earlier container.
     *
     * @param image copies its files into the server's folder
     */
    public Pod start(Consumer<Path> image) {
        try {
            LibertyServer.delete(home.resolve("usr"));
            LibertyServer.delete(home.resolve("output"));
            image.accept(Files.createDirectories(config));
            for (V1VolumeMount mount : container.getVolumeMounts()) {
                Files.createDirectories(Path.of(onThisMachine(mount.getMountPath())));
                if (isOfSecret(mount)) {
                    writeSecret(Path.of(onThisMachine(mount.getMountPath())));
                }
            }
            process = launch();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        V1Probe startup = container.getStartupProbe();
        try {
            awaitPassed(
                    "startup",
                    startup,
                    Duration.ofSeconds((long) startup.getPeriodSeconds() * startup.getFailureThreshold()));
            awaitPassed("readiness", container.getReadinessProbe(), Patience.LONG);
        } catch (RuntimeException e) {
            // The caller gets no pod that it could close.
            close();
            throw e;
        }
        return this;
    }

    private Process launch() throws IOException {
        ProcessBuilder builder = new ProcessBuilder(
                Path.of(System.getProperty("liberty.home"), "bin", "server").toString(), "run", SERVER);
        builder.environment().putAll(environment);
        builder.environment().put("WLP_USER_DIR", home.resolve("usr").toString());
        builder.environment().put("WLP_OUTPUT_DIR", home.resolve("output").toString());
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().put("JVM_ARGS", JVM_ARGUMENTS);
        File log = home.resolve("console.log").toFile();
        return builder.redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log))
                .start();
    }

    private boolean isOfSecret(V1VolumeMount mount) {
        return spec.getVolumes().stream()
                .anyMatch(volume -> volume.getName().equals(mount.getName()) && volume.getSecret() != null);
    }

    /** Writes the files like a kubelet: links to a folder that it can exchange as a whole. */
    private void writeSecret(Path folder) throws IOException {
        Path version = Files.createDirectories(folder.resolve("..2026_11_30"));
        Path data = Files.createSymbolicLink(folder.resolve("..data"), version.getFileName());
        for (Map.Entry<String, String> entry : secret.getStringData().entrySet()) {
            Files.writeString(version.resolve(entry.getKey()), entry.getValue());
            Files.createSymbolicLink(
                    folder.resolve(entry.getKey()), data.getFileName().resolve(entry.getKey()));
        }
    }

    /** The path on this machine for one that is in a volume or in the server's folder; any other value as it is. */
    private String onThisMachine(String value) {
        if (value.startsWith(ContainerImage.CONFIG)) {
            return config.resolve(value.substring(ContainerImage.CONFIG.length()))
                    .toString();
        }
        boolean isMounted = container.getVolumeMounts().stream()
                .anyMatch(mount -> Path.of(value).startsWith(mount.getMountPath()));
        return isMounted ? home.resolve("volumes" + value).toString() : value;
    }

    private void awaitPassed(String what, V1Probe probe, Duration limit) {
        await("the %s probe of %s, log %s".formatted(what, name, home.resolve("console.log")))
                .atMost(limit)
                .pollInterval(Duration.ofMillis(200))
                .failFast("the server has ended", () -> !process.isAlive())
                .until(() -> passes(probe));
    }

    /** Whether the liveness probe passes. */
    public boolean isLive() {
        return passes(container.getLivenessProbe());
    }

    private boolean passes(V1Probe probe) {
        int timeout = Objects.requireNonNullElse(probe.getTimeoutSeconds(), 1);
        try {
            int status = Http.get(url(probe.getHttpGet().getPath()), Duration.ofSeconds(timeout))
                    .statusCode();
            return status >= 200 && status < 400;
        } catch (UnreachableException notYet) {
            return false;
        }
    }

    /**
     * Stops the container: runs the hook, and sends SIGTERM to the process that the image starts, and to no other. The
     * container must end within the grace period, of which the hook is a part.
     *
     * @param beforeSignal runs between the hook and the signal, and takes none of the grace period
     */
    public void terminate(Runnable beforeSignal) {
        List<String> hook = container.getLifecycle().getPreStop().getExec().getCommand();
        long grace = TimeUnit.SECONDS.toNanos(spec.getTerminationGracePeriodSeconds());
        try {
            long start = System.nanoTime();
            int exit = new ProcessBuilder(hook).start().waitFor();
            if (exit != 0) {
                throw new IllegalStateException("%s ended with %d".formatted(hook, exit));
            }
            long left = grace - (System.nanoTime() - start);
            beforeSignal.run();
            process.destroy();
            if (!process.waitFor(left, TimeUnit.NANOSECONDS)) {
                throw new IllegalStateException(name + " did not end within the grace period");
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void close() {
        if (process != null && process.isAlive()) {
            process.destroyForcibly();
            process.onExit().join();
        }
    }
}
