package dev.cdioutbox.kafka.connect;

import java.util.HashMap;
import java.util.Map;

import org.apache.kafka.connect.data.Schema;
import org.apache.kafka.connect.data.SchemaBuilder;
import org.apache.kafka.connect.data.Struct;
import org.apache.kafka.connect.source.SourceRecord;

/** Changes of the table of messages, as Debezium captures them. */
final class Rows {
    private static final String BINARY = "payload_binary";
    private static final Schema ROW =
            row().field(BINARY, Schema.OPTIONAL_BYTES_SCHEMA).build();

    private Rows() {}

    private static SchemaBuilder row() {
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
        return row.field("seq", Schema.INT64_SCHEMA).field("schema_version", Schema.INT32_SCHEMA);
    }

    /**
     * A change of the application shop, unless the columns say otherwise.
     *
     * @param op c for an insert, r for a row of a snapshot
     */
    static SourceRecord change(String op, Map<String, Object> columns) {
        return change(op, columns, ROW);
    }

    /** The insert of a row, in a publication of tables that have no binary payloads. */
    static SourceRecord withoutBinary(Map<String, Object> columns) {
        Map<String, Object> others = new HashMap<>(columns);
        others.remove(BINARY);
        return change("c", others, row().build());
    }

    private static SourceRecord change(String op, Map<String, Object> columns, Schema row) {
        Schema schema = SchemaBuilder.struct()
                .field("before", row)
                .field("after", row)
                .field("op", Schema.STRING_SCHEMA)
                .build();
        Struct after = new Struct(row).put("application", "shop");
        columns.forEach(after::put);
        Struct change = new Struct(schema).put("after", after).put("op", op);
        return new SourceRecord(Map.of(), Map.of(), "outbox.public.outbox_message", schema, change);
    }
}
