package dev.cdioutbox.internal.observe.log;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Guards that the fields of a log line cannot be forged by their values. */
class FieldsTest {

    @Test
    void fieldsStandInOneLineAndWhatIsNotKnownIsLeftOut() {
        Fields fields = Fields.of("failed", 17, "OrderPlaced", null).and("retry_count", 2);

        assertThat(fields).hasToString("outbox_action=failed outbox_event_id=17 event_type=OrderPlaced retry_count=2");
    }

    @Test
    void valueFromOutsideCannotPretendToBeALineOrAField() {
        Fields fields = Fields.of("created", 1, "a b", "x\" outbox_action=published\r\n[SEVERE] \\ \u2028{0}");

        assertThat(fields.toString())
                .hasLineCount(1)
                .endsWith("event_type=\"a b\" correlation_id=\"x\\\" outbox_action=published\\u000d\\u000a[SEVERE] \\\\"
                        + " \\u2028{0}\"");
    }

    @Test
    void emptyValueIsSeen() {
        assertThat(Fields.of("created", 1, "", null))
                .hasToString("outbox_action=created outbox_event_id=1 event_type=\"\"");
    }
}
