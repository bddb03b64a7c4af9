package dev.cdioutbox.internal.code;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Set;

import org.junit.jupiter.api.Test;

class ReportedTest {
    private final Reported<String> reported = new Reported<>();

    @Test
    void whatLastsIsReportedAgainOnlyAfterItsEnd() {
        assertThat(reported.begin("a")).isTrue();
        assertThat(reported.begin("b")).isTrue();
        assertThat(reported.begin("a")).isFalse();

        assertThat(reported.end("a")).isTrue();
        assertThat(reported.end("a")).isFalse();
        assertThat(reported.begin("a")).isTrue();
        assertThat(reported.begin("b")).isFalse();
    }

    @Test
    void whatALookDoesNotFindHasEnded() {
        assertThat(reported.beginOnly(Set.of("a"))).containsExactly("a");
        assertThat(reported.beginOnly(List.of("a", "b", "b"))).containsExactly("b");
        assertThat(reported.beginOnly(Set.of("b"))).isEmpty();
        assertThat(reported.beginOnly(List.of("b", "a"))).containsExactly("a");
    }
}
