-- CDI Outbox, schema 1, Db2 11.5 or later on Linux, Unix and Windows; untested.
-- ${prefix} is outbox.table-prefix, and so is ${index}.
-- Statements end with a semicolon at the end of a line. Nothing here asks whether it is there already: where a statement is
-- applied again, SQL0601N (the name is used) can be passed over.
-- The tables need a Unicode database and a table space with pages of 32 KB. Times are UTC. Db2 does not tell apart texts that
-- differ in the blanks at their ends: behind one that is empty or ends with a blank stands the character U+001F.

-- A row is a version that was applied.
CREATE TABLE ${prefix}schema (
  version       INT NOT NULL PRIMARY KEY,
  readable_from INT NOT NULL,
  applied_at    TIMESTAMP(6) DEFAULT CURRENT TIMESTAMP NOT NULL
);

-- A row is a partition of what one application sends to one destination. Its lock is the claim. Number 1 holds the copies of a
-- backfill, 2 and up the other messages by key, 4094 the delayed ones; 4095 has the fencing token.
CREATE TABLE ${prefix}partition (
  -- 42 bits of SHA-256 of application, a byte 0 and destination, times 4096, plus partition_no.
  id              BIGINT NOT NULL PRIMARY KEY,
  application     VARCHAR(64 CODEUNITS32) NOT NULL,
  destination     VARCHAR(64 CODEUNITS32) NOT NULL,
  partition_no    INT NOT NULL,
  -- How many of them are for keys: outbox.partitions.
  partition_count INT NOT NULL,
  -- The owner of the lease and its end, with outbox.dispatcher.lease.
  owner           VARCHAR(64 CODEUNITS32),
  leased_until    TIMESTAMP(6),
  -- In row 4095 only, with Kafka and exactly-once: who sends to the destination, and the last batch that was settled.
  fencing_token   VARCHAR(64 CODEUNITS32),
  UNIQUE (application, destination, partition_no)
);

-- A row is an event for one destination: a fact, which never changes, but for a payload that is erased.
CREATE TABLE ${prefix}message (
  seq               BIGINT NOT NULL GENERATED ALWAYS AS IDENTITY (CACHE 1000 ORDER) PRIMARY KEY,
  message_id        VARCHAR(36) NOT NULL,
  application       VARCHAR(64 CODEUNITS32) NOT NULL,
  event_type        VARCHAR(255 CODEUNITS32) NOT NULL,
  schema_version    INT NOT NULL,
  aggregate_type    VARCHAR(256 CODEUNITS32),
  -- Null if it is the key.
  aggregate_id      VARCHAR(256 CODEUNITS32),
  message_key       VARCHAR(256 CODEUNITS32),
  -- The partition where it belongs, also while it waits in another queue.
  partition_id      BIGINT NOT NULL,
  destination       VARCHAR(64 CODEUNITS32) NOT NULL,
  content_type      VARCHAR(100 CODEUNITS32) NOT NULL,
  -- A text or bytes; both are null once the payload was erased.
  payload           CLOB(128M),
  payload_binary    BLOB(128M),
  payload_bytes     INT NOT NULL,
  headers           CLOB(128M),
  correlation_id    VARCHAR(256 CODEUNITS32),
  causation_id      VARCHAR(256 CODEUNITS32),
  tenant_id         VARCHAR(256 CODEUNITS32),
  occurred_at       TIMESTAMP(6) NOT NULL,
  created_at        TIMESTAMP(6) NOT NULL,
  not_before        TIMESTAMP(6),
  expires_at        TIMESTAMP(6),
  priority          INT,
  -- In a copy that was sent as new, the first original. A copy of a dead letter names its original in causation_id.
  origin_message_id VARCHAR(36),
  -- Who sends the message, if it is not the dispatcher; null for the dispatcher.
  transport         VARCHAR(16 CODEUNITS32)
);

CREATE UNIQUE INDEX ${index}message_id ON ${prefix}message (message_id);

-- A row is a message that waits, or that was abandoned. Its settlement deletes the row, so the table stays small.
CREATE TABLE ${prefix}queue (
  seq              BIGINT NOT NULL PRIMARY KEY,
  -- The id of the partition or blocked key where the message waits; the partition's negative once it was abandoned and blocks no key.
  queue_id         BIGINT NOT NULL,
  -- 0 pending, 1 failed, 2 abandoned.
  status           SMALLINT DEFAULT 0 NOT NULL,
  attempts         INT DEFAULT 0 NOT NULL,
  -- Sends that a crash left unfinished.
  unfinished_sends SMALLINT DEFAULT 0 NOT NULL,
  -- When a message that waits for a time becomes due: one that is delayed, or to be tried again. Else null.
  available_at     TIMESTAMP(6),
  -- When an operator put the message back: from then on it waits, and does not expire. Else null, and after the retry of a
  -- failed message whose time to live was not over.
  requeued_at      TIMESTAMP(6),
  last_attempt_at  TIMESTAMP(6),
  last_error       VARCHAR(2000 CODEUNITS32),
  CONSTRAINT ${index}queue_status CHECK (status BETWEEN 0 AND 2)
);

CREATE INDEX ${index}queue_order ON ${prefix}queue (queue_id, seq);

CREATE INDEX ${index}queue_due ON ${prefix}queue (queue_id, available_at);

-- A row is what became of a message, once nothing is left to do.
CREATE TABLE ${prefix}delivery (
  seq                BIGINT NOT NULL PRIMARY KEY,
  -- 3 published, 4 expired, 5 discarded.
  status             SMALLINT NOT NULL,
  settled_at         TIMESTAMP(6) NOT NULL,
  attempts           INT NOT NULL,
  last_error         VARCHAR(2000 CODEUNITS32),
  broker_message_id  VARCHAR(255 CODEUNITS32),
  -- Where it went instead while outbox.dispatcher.shadow-destination was set; null if it was really published.
  shadow_destination VARCHAR(64 CODEUNITS32),
  CONSTRAINT ${index}delivery_status CHECK (status BETWEEN 3 AND 5)
);

-- A key that waits for a retry or an operator, with a queue of its own, so that it does not delay other keys. Its ids begin at 2^61.
CREATE TABLE ${prefix}blocked_key (
  id           BIGINT NOT NULL PRIMARY KEY,
  partition_id BIGINT NOT NULL,
  message_key  VARCHAR(256 CODEUNITS32) NOT NULL,
  due_at       TIMESTAMP(6)
);

CREATE UNIQUE INDEX ${index}blocked_key_unique ON ${prefix}blocked_key (partition_id, message_key);

CREATE INDEX ${index}blocked_key_due ON ${prefix}blocked_key (partition_id, due_at);

-- What outbox.ordering=strict locks before it writes: a key's messages then get their seq in the order of the commits.
CREATE TABLE ${prefix}key_lock (
  id INT NOT NULL PRIMARY KEY
);

INSERT INTO ${prefix}key_lock (id)
  WITH q (n) AS (VALUES 0 UNION ALL SELECT q.n + 1 FROM q WHERE q.n < 1023)
  SELECT q.n FROM q WHERE q.n NOT IN (SELECT k.id FROM ${prefix}key_lock k);

-- What applications may read: one row for each message, with its status. The join makes it read-only.
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
  FROM ${prefix}message m LEFT JOIN ${prefix}queue q ON q.seq = m.seq LEFT JOIN ${prefix}delivery d ON d.seq = m.seq;

-- Whether a destination is paused; * is every destination. The claim asks it, so that all nodes obey from the next batch on.
CREATE TABLE ${prefix}control (
  application VARCHAR(64 CODEUNITS32) NOT NULL,
  destination VARCHAR(64 CODEUNITS32) NOT NULL,
  paused      SMALLINT DEFAULT 0 NOT NULL,
  changed_by  VARCHAR(255 CODEUNITS32),
  changed_at  TIMESTAMP(6),
  -- The last backfill: while it runs, the partition of its copies, the only one from which the destination is sent.
  backfill_partition  BIGINT,
  backfill_source     VARCHAR(64 CODEUNITS32),
  backfill_types      VARCHAR(2000 CODEUNITS32),
  backfill_from       TIMESTAMP(6),
  -- Up to where it has copied, and the sequence where it ends.
  backfill_position   BIGINT,
  backfill_end        BIGINT,
  backfill_copied     INT,
  backfill_present    INT,
  backfill_skipped    INT,
  backfill_started_at TIMESTAMP(6),
  backfill_ended_at   TIMESTAMP(6),
  PRIMARY KEY (application, destination)
);

-- The operations of operators.
CREATE TABLE ${prefix}audit (
  id          INT NOT NULL GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  application VARCHAR(64 CODEUNITS32) NOT NULL,
  done_by     VARCHAR(255 CODEUNITS32) NOT NULL,
  done_as     VARCHAR(32 CODEUNITS32),
  action      VARCHAR(32 CODEUNITS32) NOT NULL,
  subject     VARCHAR(2000 CODEUNITS32) NOT NULL,
  changed     INT NOT NULL,
  done_at     TIMESTAMP(6) NOT NULL
);

-- Which messages each operation changed: what a message went through. Rows go with their message when it is purged.
CREATE TABLE ${prefix}audit_message (
  seq      BIGINT NOT NULL,
  audit_id INT NOT NULL,
  PRIMARY KEY (seq, audit_id)
);

-- Where purged messages go with outbox.retention.mode=archive. The outbox does not read it; it may be moved or emptied.
CREATE TABLE ${prefix}archive (
  seq               BIGINT NOT NULL PRIMARY KEY,
  message_id        VARCHAR(36) NOT NULL,
  application       VARCHAR(64 CODEUNITS32) NOT NULL,
  event_type        VARCHAR(255 CODEUNITS32) NOT NULL,
  schema_version    INT NOT NULL,
  aggregate_type    VARCHAR(256 CODEUNITS32),
  aggregate_id      VARCHAR(256 CODEUNITS32),
  message_key       VARCHAR(256 CODEUNITS32),
  partition_id      BIGINT NOT NULL,
  destination       VARCHAR(64 CODEUNITS32) NOT NULL,
  content_type      VARCHAR(100 CODEUNITS32) NOT NULL,
  payload           CLOB(128M),
  payload_binary    BLOB(128M),
  payload_bytes     INT NOT NULL,
  headers           CLOB(128M),
  correlation_id    VARCHAR(256 CODEUNITS32),
  causation_id      VARCHAR(256 CODEUNITS32),
  tenant_id         VARCHAR(256 CODEUNITS32),
  occurred_at       TIMESTAMP(6) NOT NULL,
  created_at        TIMESTAMP(6) NOT NULL,
  not_before        TIMESTAMP(6),
  expires_at        TIMESTAMP(6),
  priority          INT,
  origin_message_id VARCHAR(36),
  transport         VARCHAR(16 CODEUNITS32),
  status            VARCHAR(16 CODEUNITS32) NOT NULL,
  attempts          INT NOT NULL,
  last_attempt_at   TIMESTAMP(6),
  last_error        VARCHAR(2000 CODEUNITS32),
  published_at      TIMESTAMP(6),
  broker_message_id VARCHAR(255 CODEUNITS32),
  shadow_destination VARCHAR(64 CODEUNITS32),
  archived_at       TIMESTAMP(6) NOT NULL
);

-- What consumers have handled, written by the transaction that did the work. Purged after outbox.retention.inbox.
CREATE TABLE ${prefix}inbox (
  application VARCHAR(64 CODEUNITS32) NOT NULL,
  consumer    VARCHAR(64 CODEUNITS32) NOT NULL,
  message_id  VARCHAR(256 CODEUNITS32) NOT NULL,
  received_at TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (application, consumer, message_id)
);

CREATE INDEX ${index}inbox_received ON ${prefix}inbox (application, received_at);

-- For consumers that want a key's messages in order: the last one that was handled.
CREATE TABLE ${prefix}inbox_key (
  application   VARCHAR(64 CODEUNITS32) NOT NULL,
  consumer      VARCHAR(64 CODEUNITS32) NOT NULL,
  message_key   VARCHAR(256 CODEUNITS32) NOT NULL,
  last_sequence BIGINT NOT NULL,
  last_stored_at TIMESTAMP(6),
  received_at   TIMESTAMP(6) NOT NULL,
  PRIMARY KEY (application, consumer, message_key)
);

CREATE INDEX ${index}inbox_key_received ON ${prefix}inbox_key (application, received_at);

-- Who dispatches. An orderly stop deletes the row; a row that stays means a crash.
CREATE TABLE ${prefix}node (
  node_id      VARCHAR(64 CODEUNITS32) NOT NULL PRIMARY KEY,
  application  VARCHAR(64 CODEUNITS32) NOT NULL,
  module_name  VARCHAR(64 CODEUNITS32) NOT NULL,
  host         VARCHAR(255 CODEUNITS32) NOT NULL,
  server       VARCHAR(255 CODEUNITS32) NOT NULL,
  process      BIGINT NOT NULL,
  version      VARCHAR(64 CODEUNITS32) NOT NULL,
  started_at   TIMESTAMP(6) NOT NULL,
  last_tick_at TIMESTAMP(6) NOT NULL,
  partitions_held INT DEFAULT 0 NOT NULL
);

INSERT INTO ${prefix}schema (version, readable_from) VALUES (1, 1);
