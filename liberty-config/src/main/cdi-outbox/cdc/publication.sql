-- Change data capture of the outbox: what a connector reads. Apply it as a superuser, once the tables are there:
--   psql -v application=<outbox.application> -v slot=<outbox.cdc.slot> -f publication.sql

-- Inserts only: settlements and deletes would be sent, too. Without the condition, so would what the dispatcher sends, and what
-- other applications store in the same tables.
CREATE PUBLICATION :"slot" FOR TABLE outbox_message (seq, message_id, application, event_type, schema_version, aggregate_type,
  aggregate_id, message_key, destination, content_type, payload, payload_binary, headers, correlation_id, causation_id, tenant_id,
  occurred_at, transport)
  WHERE (application = :'application' AND transport = 'cdc') WITH (publish = 'insert');

-- From now on, the database keeps its log until the connector has read it.
SELECT pg_create_logical_replication_slot(:'slot', 'pgoutput');
