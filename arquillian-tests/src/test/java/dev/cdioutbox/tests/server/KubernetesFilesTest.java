package dev.cdioutbox.tests.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1StatefulSetSpec;
import io.kubernetes.client.openapi.models.V1VolumeMount;
import org.junit.jupiter.api.Test;

/** The files for Kubernetes fit together, and fit the fragments. */
class KubernetesFilesTest {
    private static final Path PAGE = Path.of("..", "docs", "howto", "several-nodes-and-kubernetes.md");
    private static final Path FRAGMENTS = Path.of("..", "liberty-config", "src", "main", "cdi-outbox");
    private static final Pattern VARIABLE = Pattern.compile("<variable name=\"([^\"]+)\" defaultValue=\"([^\"]*)\"");

    private final KubernetesFiles files = new KubernetesFiles();
    private final V1StatefulSetSpec set = files.statefulSet().getSpec();
    private final V1PodTemplateSpec template = set.getTemplate();
    private final V1PodSpec pod = template.getSpec();
    private final V1Container container = pod.getContainers().get(0);

    @Test
    void selectorsFindThePods() {
        Map<String, String> labels = template.getMetadata().getLabels();

        assertThat(set.getSelector().getMatchLabels()).isEqualTo(labels);
        assertThat(files.disruptionBudget().getSpec().getSelector().getMatchLabels())
                .isEqualTo(labels);
        assertThat(files.services())
                .extracting(service -> service.getSpec().getSelector())
                .containsOnly(labels);
    }

    @Test
    void namesLeadToWhatTheyName() {
        String port = container.getPorts().get(0).getName();

        assertThat(files.services().stream().filter(KubernetesFilesTest::isHeadless))
                .extracting(V1Service::getMetadata)
                .extracting(V1ObjectMeta::getName)
                .containsExactly(set.getServiceName());
        assertThat(files.services())
                .flatExtracting(service -> service.getSpec().getPorts())
                .extracting(target -> target.getTargetPort().getStrValue())
                .containsOnly(port);
        assertThat(List.of(container.getStartupProbe(), container.getLivenessProbe(), container.getReadinessProbe()))
                .extracting(probe -> probe.getHttpGet().getPort().getStrValue())
                .containsOnly(port);
        assertThat(container.getVolumeMounts())
                .extracting(V1VolumeMount::getName)
                .containsExactlyInAnyOrder(
                        set.getVolumeClaimTemplates().get(0).getMetadata().getName(),
                        pod.getVolumes().get(0).getName());
        assertThat(pod.getVolumes().get(0).getSecret().getSecretName())
                .isEqualTo(files.secret().getMetadata().getName());
    }

    @Test
    void eachProbeAsksItsHealthCheck() {
        assertThat(container.getStartupProbe().getHttpGet().getPath()).isEqualTo("/health/started");
        assertThat(container.getLivenessProbe().getHttpGet().getPath()).isEqualTo("/health/live");
        assertThat(container.getReadinessProbe().getHttpGet().getPath()).isEqualTo("/health/ready");
    }

    /** Another volume, or none, would not be there after a crash. */
    @Test
    void transactionLogIsOnTheVolumeOfThePod() {
        String claim = set.getVolumeClaimTemplates().get(0).getMetadata().getName();

        assertThat(container.getVolumeMounts())
                .filteredOn(mount -> mount.getName().equals(claim))
                .extracting(V1VolumeMount::getMountPath)
                .containsExactly(container.getEnv().stream()
                        .filter(variable -> variable.getName().equals("CDIOUTBOX_TRANSACTION_LOG"))
                        .map(V1EnvVar::getValue)
                        .findFirst()
                        .orElseThrow());
    }

    private static boolean isHeadless(V1Service service) {
        return "None".equals(service.getSpec().getClusterIP());
    }

    @Test
    void environmentSecretAndPortAreVariablesOfTheFragments() throws IOException {
        Map<String, String> variables = variables();

        assertThat(variables.keySet())
                .containsAll(files.secret().getStringData().keySet())
                .extracting(variable -> variable.replaceAll("\\W", "_").toUpperCase(Locale.ROOT))
                .containsAll(container.getEnv().stream().map(V1EnvVar::getName).toList());
        assertThat(container.getPorts())
                .extracting(port -> String.valueOf(port.getContainerPort()))
                .containsExactly(variables.get("http.port"));
    }

    @Test
    void pageShowsTheStatefulSet() throws IOException {
        assertThat(Files.readString(PAGE))
                .contains("```yaml\n" + Files.readString(KubernetesFiles.FOLDER.resolve("statefulset.yaml")) + "```\n");
    }

    /** The variables of all fragments with their defaults. */
    private static Map<String, String> variables() throws IOException {
        Map<String, String> variables = new TreeMap<>();
        try (DirectoryStream<Path> fragments = Files.newDirectoryStream(FRAGMENTS, "*.xml")) {
            for (Path fragment : fragments) {
                VARIABLE.matcher(Files.readString(fragment))
                        .results()
                        .forEach(variable -> variables.put(variable.group(1), variable.group(2)));
            }
        }
        return variables;
    }
}
