package dev.cdioutbox.internal.operate;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.List;

import dev.cdioutbox.OutboxAct;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.internal.operate.PortionedOperations.Portion;
import org.junit.jupiter.api.Test;

class PortionNoteTest {
    private static final String NAME = "0199aabbccdd00112233445566778899";

    @Test
    void portionIsFoundByItsNameWithWhatItDid() {
        OutboxFilter filter = OutboxFilter.all().withKey("a").withBeforeSequence(1000L);

        assertThat(find(act(500, PortionNote.of(filter, NAME, 700L)))).isEqualTo(new Portion(500, 700L));
        assertThat(find(act(3, PortionNote.of(filter, NAME, null)))).isEqualTo(new Portion(3, null));
        assertThat(PortionNote.of(filter, NAME, 700L)).startsWith("{\"key\":\"a\",\"beforeSequence\":1000,");
    }

    @Test
    void whatOnlyLooksLikeItIsNone() {
        assertThat(find(act(1, NAME))).isNull();
        assertThat(find(act(1, PortionNote.of(OutboxFilter.all().withKey(NAME), "another", 1L))))
                .isNull();
        assertThat(find(act(1, "{\"portion\":\"" + NAME))).isNull();
        assertThat(find()).isNull();
    }

    private static Portion find(OutboxAct... acts) {
        return PortionNote.find(List.of(acts), NAME).orElse(null);
    }

    private static OutboxAct act(int changed, String subject) {
        return new OutboxAct(Instant.EPOCH, "somebody", "retry", subject, changed);
    }
}
