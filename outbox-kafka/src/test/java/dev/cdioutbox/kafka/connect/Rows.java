package dev.cdioutbox.kafka.connect;

import java.util.Map;

import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/** Changes of the table of messages, as Debezium captures them. */
final class Rows {
    private static final Schema ROW = row();
    private static final Schema CHANGE = SchemaBuilder.struct()
            .field("before", ROW)
            .field("after", ROW)
            .field("op", Schema.STRING_SCHEMA)
            .build();

    private Rows() {}

    private static Schema row() {
        SchemaBuilder row = SchemaBuilder.struct().optional();
        for (String text : new String[] {
            "message_id",
            "application",
            "event_type",
            "aggregate_type",
            "aggregate_id",
            "message_key",
            "destination",
            "content_type",
            "payload",
            "headers",
            "correlation_id",
            "causation_id",
            "tenant_id",
            "occurred_at",
            "transport"
        }) {
            row.field(text, Schema.OPTIONAL_STRING_SCHEMA);
        }
        return row.field("seq", Schema.INT64_SCHEMA)
                .field("schema_version", Schema.INT32_SCHEMA)
                .build();
    }

    /**
     * A change of the application shop, unless the columns say otherwise.
     *
     * @param op c for an insert, r for a row of a snapshot
     */
    static SourceRecord change(String op, Map<String, Object> columns) {
        Struct after = new Struct(ROW).put("application", "shop");
        columns.forEach(after::put);
        Struct change = new Struct(CHANGE).put("after", after).put("op", op);
        return new SourceRecord(Map.of(), Map.of(), "outbox.public.outbox_message", CHANGE, change);
    }
}
