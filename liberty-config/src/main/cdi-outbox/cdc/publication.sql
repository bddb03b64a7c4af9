-- Change data capture of the outbox: what a connector reads. Apply it as a superuser, once the tables are there.
-- The name of publication and slot is the value of outbox.cdc.slot.

-- Inserts only: settlements and deletes would be sent, too. Without the filter, so would what the dispatcher sends.
CREATE PUBLICATION outbox FOR TABLE outbox_message (seq, message_id, event_type, schema_version, aggregate_type, message_key,
  destination, content_type, payload, headers, correlation_id, causation_id, tenant_id, occurred_at, transport)
  WHERE (transport = 'cdc') WITH (publish = 'insert');

-- From now on, the database keeps its log until the connector has read it.
SELECT pg_create_logical_replication_slot('outbox', 'pgoutput');
