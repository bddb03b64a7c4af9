-- CDI Outbox, schema 1, SQL Server 2019 or later; untested.
-- ${prefix} is outbox.table-prefix, ${index} the same without the name of a schema.
-- Statements end with a semicolon at the end of a line. Nothing here asks whether it is there already: where a statement is
-- applied again, errors 2714 and 1913 (the name is used) can be passed over.
-- The database needs READ_COMMITTED_SNAPSHOT, or who reads waits for who writes: ALTER DATABASE … SET READ_COMMITTED_SNAPSHOT ON.
-- Times are UTC. SQL Server does not tell apart texts that differ in the blanks at their ends: behind one that is empty or
-- ends with a blank stands the character U+001F.

-- A row is a version that was applied.
CREATE TABLE ${prefix}schema (
  version       INT NOT NULL PRIMARY KEY,
  readable_from INT NOT NULL,
  applied_at    DATETIME2(6) DEFAULT SYSUTCDATETIME() NOT NULL
);

-- A row is a partition of what one application sends to one destination. Its lock is the claim. Number 1 holds the copies of a
-- backfill, 2 and up the other messages by key, 4094 the delayed ones; 4095 has the fencing token.
CREATE TABLE ${prefix}partition (
  -- 42 bits of SHA-256 of application, a byte 0 and destination, times 4096, plus partition_no.
  id              BIGINT NOT NULL PRIMARY KEY,
  application     NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  destination     NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  partition_no    INT NOT NULL,
  -- How many of them are for keys: outbox.partitions.
  partition_count INT NOT NULL,
  -- The owner of the lease and its end, with outbox.dispatcher.lease.
  owner           NVARCHAR(64) COLLATE Latin1_General_BIN2,
  leased_until    DATETIME2(6),
  -- In row 4095 only, with Kafka and exactly-once: who sends to the destination, and the last batch that was settled.
  fencing_token   NVARCHAR(64) COLLATE Latin1_General_BIN2,
  UNIQUE (application, destination, partition_no)
);

-- A row is an event for one destination: a fact, which never changes, but for a payload that is erased.
CREATE TABLE ${prefix}message (
  seq               BIGINT IDENTITY(1, 1) PRIMARY KEY,
  message_id        VARCHAR(36) COLLATE Latin1_General_BIN2 NOT NULL,
  application       NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  event_type        NVARCHAR(255) COLLATE Latin1_General_BIN2 NOT NULL,
  schema_version    INT NOT NULL,
  aggregate_type    NVARCHAR(256) COLLATE Latin1_General_BIN2,
  -- Null if it is the key.
  aggregate_id      NVARCHAR(256) COLLATE Latin1_General_BIN2,
  message_key       NVARCHAR(256) COLLATE Latin1_General_BIN2,
  -- The partition where it belongs, also while it waits in another queue.
  partition_id      BIGINT NOT NULL,
  destination       NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  content_type      NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  -- A text or bytes; both are null once the payload was erased.
  payload           NVARCHAR(MAX),
  payload_binary    VARBINARY(MAX),
  payload_bytes     INT NOT NULL,
  headers           NVARCHAR(MAX),
  correlation_id    NVARCHAR(256) COLLATE Latin1_General_BIN2,
  causation_id      NVARCHAR(256) COLLATE Latin1_General_BIN2,
  tenant_id         NVARCHAR(256) COLLATE Latin1_General_BIN2,
  occurred_at       DATETIME2(6) NOT NULL,
  created_at        DATETIME2(6) DEFAULT SYSUTCDATETIME() NOT NULL,
  not_before        DATETIME2(6),
  expires_at        DATETIME2(6),
  priority          INT,
  -- In a copy that was sent as new, the first original. A copy of a dead letter names its original in causation_id.
  origin_message_id VARCHAR(36) COLLATE Latin1_General_BIN2,
  -- Who sends the message, if it is not the dispatcher; null for the dispatcher.
  transport         NVARCHAR(16) COLLATE Latin1_General_BIN2
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
  available_at     DATETIME2(6),
  -- When an operator put the message back: from then on it waits, and does not expire. Else null, and after the retry of a
  -- failed message whose time to live was not over.
  requeued_at      DATETIME2(6),
  last_attempt_at  DATETIME2(6),
  last_error       NVARCHAR(2000) COLLATE Latin1_General_BIN2,
  CONSTRAINT ${index}queue_status CHECK (status BETWEEN 0 AND 2)
);

CREATE INDEX ${index}queue_order ON ${prefix}queue (queue_id, seq);

CREATE INDEX ${index}queue_due ON ${prefix}queue (queue_id, available_at);

-- A row is what became of a message, once nothing is left to do.
CREATE TABLE ${prefix}delivery (
  seq                BIGINT NOT NULL PRIMARY KEY,
  -- 3 published, 4 expired, 5 discarded.
  status             SMALLINT NOT NULL,
  settled_at         DATETIME2(6) NOT NULL,
  attempts           INT NOT NULL,
  last_error         NVARCHAR(2000) COLLATE Latin1_General_BIN2,
  broker_message_id  NVARCHAR(255) COLLATE Latin1_General_BIN2,
  -- Where it went instead while outbox.dispatcher.shadow-destination was set; null if it was really published.
  shadow_destination NVARCHAR(64) COLLATE Latin1_General_BIN2,
  CONSTRAINT ${index}delivery_status CHECK (status BETWEEN 3 AND 5)
);

-- A key that waits for a retry or an operator, with a queue of its own, so that it does not delay other keys. Its ids begin at 2^61.
CREATE TABLE ${prefix}blocked_key (
  id           BIGINT NOT NULL PRIMARY KEY,
  partition_id BIGINT NOT NULL,
  message_key  NVARCHAR(256) COLLATE Latin1_General_BIN2 NOT NULL,
  due_at       DATETIME2(6)
);

CREATE UNIQUE INDEX ${index}blocked_key_unique ON ${prefix}blocked_key (partition_id, message_key);

CREATE INDEX ${index}blocked_key_due ON ${prefix}blocked_key (partition_id, due_at);

-- What outbox.ordering=strict locks before it writes: a key's messages then get their seq in the order of the commits.
CREATE TABLE ${prefix}key_lock (
  id INT NOT NULL PRIMARY KEY
);

INSERT INTO ${prefix}key_lock (id)
  SELECT q.n FROM (SELECT TOP (1024) ROW_NUMBER() OVER (ORDER BY (SELECT NULL)) - 1 AS n
    FROM sys.all_columns a CROSS JOIN sys.all_columns b) q
  WHERE q.n NOT IN (SELECT k.id FROM ${prefix}key_lock k);

-- What applications may read: one row for each message, with its status.
CREATE OR ALTER VIEW ${prefix}message_view AS
  SELECT m.seq, m.message_id, m.application, m.event_type, m.schema_version, m.aggregate_type,
    COALESCE(m.aggregate_id, m.message_key) AS aggregate_id, m.message_key,
    m.destination, m.content_type, m.payload, m.payload_binary, m.correlation_id, m.causation_id, m.tenant_id,
    m.occurred_at, m.created_at, m.not_before, q.available_at,
    CASE WHEN q.requeued_at IS NULL THEN m.expires_at END AS expires_at, m.priority,
    CASE COALESCE(q.status, d.status) WHEN 0 THEN N'PENDING' WHEN 1 THEN N'FAILED' WHEN 2 THEN N'ABANDONED'
      WHEN 3 THEN N'PUBLISHED' WHEN 4 THEN N'EXPIRED' WHEN 5 THEN N'DISCARDED' END COLLATE Latin1_General_BIN2 AS status,
    COALESCE(q.attempts, d.attempts) AS attempts, COALESCE(q.last_attempt_at, d.settled_at) AS last_attempt_at,
    COALESCE(q.last_error, d.last_error) AS last_error, CASE WHEN d.status = 3 THEN d.settled_at END AS published_at,
    d.broker_message_id, d.shadow_destination
  FROM ${prefix}message m LEFT JOIN ${prefix}queue q ON q.seq = m.seq LEFT JOIN ${prefix}delivery d ON d.seq = m.seq;

-- A view is written through to its tables, unless something else is said to happen instead.
CREATE OR ALTER TRIGGER ${prefix}message_view_readonly ON ${prefix}message_view INSTEAD OF INSERT, UPDATE, DELETE AS
  THROW 50000, 'the view of the outbox messages is read-only', 1;

-- Whether a destination is paused; * is every destination. The claim asks it, so that all nodes obey from the next batch on.
CREATE TABLE ${prefix}control (
  application NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  destination NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  paused      SMALLINT DEFAULT 0 NOT NULL,
  changed_by  NVARCHAR(255) COLLATE Latin1_General_BIN2,
  changed_at  DATETIME2(6),
  -- The last backfill: while it runs, the partition of its copies, the only one from which the destination is sent.
  backfill_partition  BIGINT,
  backfill_source     NVARCHAR(64) COLLATE Latin1_General_BIN2,
  backfill_types      NVARCHAR(2000) COLLATE Latin1_General_BIN2,
  backfill_from       DATETIME2(6),
  -- Up to where it has copied, and the sequence where it ends.
  backfill_position   BIGINT,
  backfill_end        BIGINT,
  backfill_copied     INT,
  backfill_present    INT,
  backfill_skipped    INT,
  backfill_started_at DATETIME2(6),
  backfill_ended_at   DATETIME2(6),
  PRIMARY KEY (application, destination)
);

-- The operations of operators.
CREATE TABLE ${prefix}audit (
  id          INT IDENTITY(1, 1) PRIMARY KEY,
  application NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  done_by     NVARCHAR(255) COLLATE Latin1_General_BIN2 NOT NULL,
  done_as     NVARCHAR(32) COLLATE Latin1_General_BIN2,
  action      NVARCHAR(32) COLLATE Latin1_General_BIN2 NOT NULL,
  subject     NVARCHAR(2000) COLLATE Latin1_General_BIN2 NOT NULL,
  changed     INT NOT NULL,
  done_at     DATETIME2(6) DEFAULT SYSUTCDATETIME() NOT NULL
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
  message_id        VARCHAR(36) COLLATE Latin1_General_BIN2 NOT NULL,
  application       NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  event_type        NVARCHAR(255) COLLATE Latin1_General_BIN2 NOT NULL,
  schema_version    INT NOT NULL,
  aggregate_type    NVARCHAR(256) COLLATE Latin1_General_BIN2,
  aggregate_id      NVARCHAR(256) COLLATE Latin1_General_BIN2,
  message_key       NVARCHAR(256) COLLATE Latin1_General_BIN2,
  partition_id      BIGINT NOT NULL,
  destination       NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  content_type      NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  payload           NVARCHAR(MAX),
  payload_binary    VARBINARY(MAX),
  payload_bytes     INT NOT NULL,
  headers           NVARCHAR(MAX),
  correlation_id    NVARCHAR(256) COLLATE Latin1_General_BIN2,
  causation_id      NVARCHAR(256) COLLATE Latin1_General_BIN2,
  tenant_id         NVARCHAR(256) COLLATE Latin1_General_BIN2,
  occurred_at       DATETIME2(6) NOT NULL,
  created_at        DATETIME2(6) NOT NULL,
  not_before        DATETIME2(6),
  expires_at        DATETIME2(6),
  priority          INT,
  origin_message_id VARCHAR(36) COLLATE Latin1_General_BIN2,
  transport         NVARCHAR(16) COLLATE Latin1_General_BIN2,
  status            NVARCHAR(16) COLLATE Latin1_General_BIN2 NOT NULL,
  attempts          INT NOT NULL,
  last_attempt_at   DATETIME2(6),
  last_error        NVARCHAR(2000) COLLATE Latin1_General_BIN2,
  published_at      DATETIME2(6),
  broker_message_id NVARCHAR(255) COLLATE Latin1_General_BIN2,
  shadow_destination NVARCHAR(64) COLLATE Latin1_General_BIN2,
  archived_at       DATETIME2(6) DEFAULT SYSUTCDATETIME() NOT NULL
);

-- What consumers have handled, written by the transaction that did the work. Purged after outbox.retention.inbox.
CREATE TABLE ${prefix}inbox (
  application NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  consumer    NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  message_id  NVARCHAR(256) COLLATE Latin1_General_BIN2 NOT NULL,
  received_at DATETIME2(6) NOT NULL,
  PRIMARY KEY (application, consumer, message_id)
);

CREATE INDEX ${index}inbox_received ON ${prefix}inbox (application, received_at);

-- For consumers that want a key's messages in order: the last one that was handled.
CREATE TABLE ${prefix}inbox_key (
  application   NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  consumer      NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  message_key   NVARCHAR(256) COLLATE Latin1_General_BIN2 NOT NULL,
  last_sequence BIGINT NOT NULL,
  last_stored_at DATETIME2(6),
  received_at   DATETIME2(6) NOT NULL,
  PRIMARY KEY (application, consumer, message_key)
);

CREATE INDEX ${index}inbox_key_received ON ${prefix}inbox_key (application, received_at);

-- Who dispatches. An orderly stop deletes the row; a row that stays means a crash.
CREATE TABLE ${prefix}node (
  node_id      NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL PRIMARY KEY,
  application  NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  module_name  NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  host         NVARCHAR(255) COLLATE Latin1_General_BIN2 NOT NULL,
  server       NVARCHAR(255) COLLATE Latin1_General_BIN2 NOT NULL,
  process      BIGINT NOT NULL,
  version      NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  started_at   DATETIME2(6) DEFAULT SYSUTCDATETIME() NOT NULL,
  last_tick_at DATETIME2(6) NOT NULL,
  partitions_held INT DEFAULT 0 NOT NULL
);

INSERT INTO ${prefix}schema (version, readable_from) VALUES (1, 1);
