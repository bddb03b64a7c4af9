package dev.cdioutbox.tests.server;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import org.yaml.snakeyaml.Yaml;

/**
 * The sample's files for Kubernetes. Kubernetes's own client reads them, and refuses a field that Kubernetes does not
 * know, and a required one that is missing.
 */
public final class KubernetesFiles {
    static final Path FOLDER = Path.of("..", "sample-war", "kubernetes");

    private final List<Object> objects = new ArrayList<>();

    public KubernetesFiles() {
        try (Stream<Path> files = Files.list(FOLDER)) {
            for (Path file : files.sorted().toList()) {
                for (Object object : new Yaml().loadAll(Files.readString(file))) {
                    objects.add(read(JSON.serialize(object)));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Object read(String json) throws IOException {
        String kind = Http.json(json).asJsonObject().getString("kind");
        return switch (kind) {
            case "PodDisruptionBudget" -> V1PodDisruptionBudget.fromJson(json);
            case "Secret" -> V1Secret.fromJson(json);
            case "Service" -> V1Service.fromJson(json);
            case "StatefulSet" -> V1StatefulSet.fromJson(json);
            default -> throw new IllegalStateException("no test reads a " + kind);
        };
    }

    public V1StatefulSet statefulSet() {
        return only(V1StatefulSet.class);
    }

    public V1Secret secret() {
        return only(V1Secret.class);
    }

    V1PodDisruptionBudget disruptionBudget() {
        return only(V1PodDisruptionBudget.class);
    }

    List<V1Service> services() {
        return all(V1Service.class);
    }

    private <T> T only(Class<T> type) {
        List<T> all = all(type);
        if (all.size() != 1) {
            throw new IllegalStateException("%d of %s".formatted(all.size(), type));
        }
        return all.get(0);
    }

    private <T> List<T> all(Class<T> type) {
        return objects.stream().filter(type::isInstance).map(type::cast).toList();
    }
}
