-- CDI Outbox, schema 1, Oracle 19c or later; untested.
-- ${prefix} is outbox.table-prefix, and so is ${index}.
-- Statements end with a semicolon at the end of a line. Nothing here asks whether it is there already: where a statement is
-- applied again, ORA-00955 (the name is used) can be passed over.
-- Times are UTC. An empty text is none to Oracle: a short one is stored as the character U+001F, which also stands behind
-- texts that end with a blank; an empty payload is null. Names compare byte by byte unless a session sets NLS_COMP.

-- A row is a version that was applied.
CREATE TABLE ${prefix}schema (
  version       NUMBER(10) NOT NULL PRIMARY KEY,
  readable_from NUMBER(10) NOT NULL,
  applied_at    TIMESTAMP(6) DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL
);

-- A row is a partition of what one application sends to one destination. Its lock is the claim. Number 1 holds the copies of a
-- backfill, 2 and up the other messages by key, 4094 the delayed ones; 4095 has the fencing token.
CREATE TABLE ${prefix}partition (
  -- 42 bits of SHA-256 of application, a byte 0 and destination, times 4096, plus partition_no.
  id              NUMBER(19) NOT NULL PRIMARY KEY,
  application     VARCHAR2(64 CHAR) NOT NULL,
  destination     VARCHAR2(64 CHAR) NOT NULL,
  partition_no    NUMBER(10) NOT NULL,
  -- How many of them are for keys: outbox.partitions.
  partition_count NUMBER(10) NOT NULL,
  -- The owner of the lease and its end, with outbox.dispatcher.lease.
  owner           VARCHAR2(64 CHAR),
  leased_until    TIMESTAMP(6),
  -- In row 4095 only, with Kafka and exactly-once: who sends to the destination, and the last batch that was settled.
  fencing_token   VARCHAR2(64 CHAR),
  UNIQUE (application, destination, partition_no)
);

-- A row is an event for one destination: a fact, which never changes, but for a payload that is erased.
CREATE TABLE ${prefix}message (
  seq               NUMBER(19) GENERATED ALWAYS AS IDENTITY (CACHE 1000 ORDER) PRIMARY KEY,
  message_id        VARCHAR2(36) NOT NULL,
  application       VARCHAR2(64 CHAR) NOT NULL,
  event_type        VARCHAR2(255 CHAR) NOT NULL,
  schema_version    NUMBER(10) NOT NULL,
  aggregate_type    VARCHAR2(256 CHAR),
  -- Null if it is the key.
  aggregate_id      VARCHAR2(256 CHAR),
  message_key       VARCHAR2(256 CHAR),
  -- The partition where it belongs, also while it waits in another queue.
  partition_id      NUMBER(19) NOT NULL,
  destination       VARCHAR2(64 CHAR) NOT NULL,
  content_type      VARCHAR2(100 CHAR) NOT NULL,
  -- A text or bytes; both are null once the payload was erased, and for an empty text.
  payload           CLOB,
  payload_binary    BLOB,
  payload_bytes     NUMBER(10) NOT NULL,
  headers           CLOB,
  correlation_id    VARCHAR2(256 CHAR),
  causation_id      VARCHAR2(256 CHAR),
  tenant_id         VARCHAR2(256 CHAR),
  occurred_at       TIMESTAMP(6) NOT NULL,
  created_at        TIMESTAMP(6) DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  not_before        TIMESTAMP(6),
  expires_at        TIMESTAMP(6),
  priority          NUMBER(10),
  -- In a copy that was sent as new, the first original. A copy of a dead letter names its original in causation_id.
  origin_message_id VARCHAR2(36),
  -- Who sends the message, if it is not the dispatcher; null for the dispatcher.
  transport         VARCHAR2(16 CHAR)
);

CREATE UNIQUE INDEX ${index}message_id ON ${prefix}message (message_id);

-- A row is a message that waits, or that was abandoned. Its settlement deletes the row, so the table stays small.
CREATE TABLE ${prefix}queue (
  seq              NUMBER(19) NOT NULL PRIMARY KEY,
  -- The id of the partition or blocked key where the message waits; the partition's negative once it was abandoned and blocks no key.
  queue_id         NUMBER(19) NOT NULL,
  -- 0 pending, 1 failed, 2 abandoned.
  status           NUMBER(5) DEFAULT 0 NOT NULL,
  attempts         NUMBER(10) DEFAULT 0 NOT NULL,
  -- Sends that a crash left unfinished.
  unfinished_sends NUMBER(5) DEFAULT 0 NOT NULL,
  -- When a message that waits for a time becomes due: one that is delayed, or to be tried again. Else null.
  available_at     TIMESTAMP(6),
  -- When an operator put the message back: from then on it waits, and does not expire. Else null, and after the retry of a
  -- failed message whose time to live was not over.
  requeued_at      TIMESTAMP(6),
  last_attempt_at  TIMESTAMP(6),
  last_error       VARCHAR2(2000 CHAR),
  CONSTRAINT ${index}queue_status CHECK (status BETWEEN 0 AND 2)
);

CREATE INDEX ${index}queue_order ON ${prefix}queue (queue_id, seq);

CREATE INDEX ${index}queue_due ON ${prefix}queue (queue_id, available_at);

-- A row is what became of a message, once nothing is left to do.
CREATE TABLE ${prefix}delivery (
  seq                NUMBER(19) NOT NULL PRIMARY KEY,
  -- 3 published, 4 expired, 5 discarded.
  status             NUMBER(5) NOT NULL,
  settled_at         TIMESTAMP(6) NOT NULL,
  attempts           NUMBER(10) NOT NULL,
  last_error         VARCHAR2(2000 CHAR),
  broker_message_id  VARCHAR2(255 CHAR),
  -- Where it went instead while outbox.dispatcher.shadow-destination was set; null if it was really published.
  shadow_destination VARCHAR2(64 CHAR),
  CONSTRAINT ${index}delivery_status CHECK (status BETWEEN 3 AND 5)
);

-- A key that waits for a retry or an operator, with a queue of its own, so that it does not delay other keys. Its ids begin at 2^61.
CREATE TABLE ${prefix}blocked_key (
  id           NUMBER(19) NOT NULL PRIMARY KEY,
  partition_id NUMBER(19) NOT NULL,
  message_key  VARCHAR2(256 CHAR) NOT NULL,
  due_at       TIMESTAMP(6)
);

CREATE UNIQUE INDEX ${index}blocked_key_unique ON ${prefix}blocked_key (partition_id, message_key);

CREATE INDEX ${index}blocked_key_due ON ${prefix}blocked_key (partition_id, due_at);

-- What outbox.ordering=strict locks before it writes: a key's messages then get their seq in the order of the commits.
CREATE TABLE ${prefix}key_lock (
  id NUMBER(10) NOT NULL PRIMARY KEY
);

INSERT INTO ${prefix}key_lock (id)
  SELECT q.n FROM (SELECT LEVEL - 1 AS n FROM dual CONNECT BY LEVEL <= 1024) q
  WHERE q.n NOT IN (SELECT k.id FROM ${prefix}key_lock k);

-- What applications may read: one row for each message, with its status.
CREATE OR REPLACE VIEW ${prefix}message_view AS
  SELECT m.seq, m.message_id, m.application, m.event_type, m.schema_version, m.aggregate_type,
    COALESCE(m.aggregate_id, m.message_key) AS aggregate_id, m.message_key,
    m.destination, m.content_type, m.payload, m.payload_binary, m.correlation_id, m.causation_id, m.tenant_id,
    m.occurred_at, m.created_at, m.not_before, q.available_at,
    CASE WHEN q.requeued_at IS NULL THEN m.expires_at END AS expires_at, m.priority,
    CASE COALESCE(q.status, d.status) WHEN 0 THEN 'PENDING' WHEN 1 THEN 'FAILED' WHEN 2 THEN 'ABANDONED'
      WHEN 3 THEN 'PUBLISHED' WHEN 4 THEN 'EXPIRED' WHEN 5 THEN 'DISCARDED' END AS status,
    COALESCE(q.attempts, d.attempts) AS attempts, COALESCE(q.last_attempt_at, d.settled_at) AS last_attempt_at,
    COALESCE(q.last_error, d.last_error) AS last_error, CASE WHEN d.status = 3 THEN d.settled_at END AS published_at,
    d.broker_message_id, d.shadow_destination
  FROM ${prefix}message m LEFT JOIN ${prefix}queue q ON q.seq = m.seq LEFT JOIN ${prefix}delivery d ON d.seq = m.seq
  WITH READ ONLY;

-- Whether a destination is paused; * is every destination. The claim asks it, so that all nodes obey from the next batch on.
CREATE TABLE ${prefix}control (
  application VARCHAR2(64 CHAR) NOT NULL,
  destination VARCHAR2(64 CHAR) NOT NULL,
  paused      NUMBER(5) DEFAULT 0 NOT NULL,
  changed_by  VARCHAR2(255 CHAR),
  changed_at  TIMESTAMP(6),
  -- The last backfill: while it runs, the partition of its copies, the only one from which the destination is sent.
  backfill_partition  NUMBER(19),
  backfill_source     VARCHAR2(64 CHAR),
  backfill_types      VARCHAR2(2000 CHAR),
  backfill_from       TIMESTAMP(6),
  -- Up to where it has copied, and the sequence where it ends.
  backfill_position   NUMBER(19),
  backfill_end        NUMBER(19),
  backfill_copied     NUMBER(10),
  backfill_present    NUMBER(10),
  backfill_skipped    NUMBER(10),
  backfill_started_at TIMESTAMP(6),
  backfill_ended_at   TIMESTAMP(6),
  PRIMARY KEY (application, destination)
);

-- The operations of operators.
CREATE TABLE ${prefix}audit (
  id          NUMBER(10) GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  application VARCHAR2(64 CHAR) NOT NULL,
  done_by     VARCHAR2(255 CHAR) NOT NULL,
  done_as     VARCHAR2(32 CHAR),
  action      VARCHAR2(32 CHAR) NOT NULL,
  subject     VARCHAR2(2000 CHAR) NOT NULL,
  changed     NUMBER(10) NOT NULL,
  done_at     TIMESTAMP(6) DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL
);

-- Which messages each operation changed: what a message went through. Rows go with their message when it is purged.
CREATE TABLE ${prefix}audit_message (
  seq      NUMBER(19) NOT NULL,
  audit_id NUMBER(10) NOT NULL,
  PRIMARY KEY (seq, audit_id)
);

-- Where purged messages go with outbox.retention.mode=archive. The outbox does not read it; it may be moved or emptied.
CREATE TABLE ${prefix}archive (
  seq               NUMBER(19) NOT NULL PRIMARY KEY,
  message_id        VARCHAR2(36) NOT NULL,
  application       VARCHAR2(64 CHAR) NOT NULL,
  event_type        VARCHAR2(255 CHAR) NOT NULL,
  schema_version    NUMBER(10) NOT NULL,
  aggregate_type    VARCHAR2(256 CHAR),
  aggregate_id      VARCHAR2(256 CHAR),
  message_key       VARCHAR2(256 CHAR),
  partition_id      NUMBER(19) NOT NULL,
  destination       VARCHAR2(64 CHAR) NOT NULL,
  content_type      VARCHAR2(100 CHAR) NOT NULL,
  payload           CLOB,
  payload_binary    BLOB,
  payload_bytes     NUMBER(10) NOT NULL,
  headers           CLOB,
  correlation_id    VARCHAR2(256 CHAR),
  causation_id      VARCHAR2(256 CHAR),
  tenant_id         VARCHAR2(256 CHAR),
  occurred_at       TIMESTAMP(6) NOT NULL,
  created_at        TIMESTAMP(6) NOT NULL,
  not_before        TIMESTAMP(6),
  expires_at        TIMESTAMP(6),
  priority          NUMBER(10),
  origin_message_id VARCHAR2(36),
  transport         VARCHAR2(16 CHAR),
  status            VARCHAR2(16 CHAR) NOT NULL,
  attempts          NUMBER(10) NOT NULL,
  last_attempt_at   TIMESTAMP(6),
  last_error        VARCHAR2(2000 CHAR),
  published_at      TIMESTAMP(6),
  broker_message_id VARCHAR2(255 CHAR),
  shadow_destination VARCHAR2(64 CHAR),
  archived_at       TIMESTAMP(6) DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL
);

-- What consumers have handled, written by the transaction that did the work. Purged after outbox.retention.inbox.
CREATE TABLE ${prefix}inbox (
  application VARCHAR2(64 CHAR) NOT NULL,
  consumer    VARCHAR2(64 CHAR) NOT NULL,
  message_id  VARCHAR2(256 CHAR) NOT NULL,
  received_at TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (application, consumer, message_id)
);

CREATE INDEX ${index}inbox_received ON ${prefix}inbox (application, received_at);

-- For consumers that want a key's messages in order: the last one that was handled.
CREATE TABLE ${prefix}inbox_key (
  application   VARCHAR2(64 CHAR) NOT NULL,
  consumer      VARCHAR2(64 CHAR) NOT NULL,
  message_key   VARCHAR2(256 CHAR) NOT NULL,
  last_sequence NUMBER(19) NOT NULL,
  last_stored_at TIMESTAMP(6),
  received_at   TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (application, consumer, message_key)
);

CREATE INDEX ${index}inbox_key_received ON ${prefix}inbox_key (application, received_at);

-- Who dispatches. An orderly stop deletes the row; a row that stays means a crash.
CREATE TABLE ${prefix}node (
  node_id      VARCHAR2(64 CHAR) NOT NULL PRIMARY KEY,
  application  VARCHAR2(64 CHAR) NOT NULL,
  module_name  VARCHAR2(64 CHAR) NOT NULL,
  host         VARCHAR2(255 CHAR) NOT NULL,
  server       VARCHAR2(255 CHAR) NOT NULL,
  process      NUMBER(19) NOT NULL,
  version      VARCHAR2(64 CHAR) NOT NULL,
  started_at   TIMESTAMP(6) DEFAULT SYS_EXTRACT_UTC(SYSTIMESTAMP) NOT NULL,
  last_tick_at TIMESTAMP(6) NOT NULL,
  partitions_held NUMBER(10) DEFAULT 0 NOT NULL
);

INSERT INTO ${prefix}schema (version, readable_from) VALUES (1, 1);
