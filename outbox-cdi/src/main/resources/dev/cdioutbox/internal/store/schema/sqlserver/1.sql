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

-- A row is a queue: what one application sends to one destination, cut in partitions by key. Its lock is the claim.
-- Partition -1 holds delayed messages; it is never claimed.
CREATE TABLE ${prefix}partition (
  id           INT IDENTITY(1, 1) PRIMARY KEY,
  application  NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  destination  NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  partition_no INT NOT NULL,
  -- The owner of the lease and its end, with outbox.dispatcher.claim=lease.
  owner        NVARCHAR(64) COLLATE Latin1_General_BIN2,
  leased_until DATETIME2(6),
  UNIQUE (application, destination, partition_no)
);

CREATE TABLE ${prefix}message (
  seq               BIGINT IDENTITY(1, 1) PRIMARY KEY,
  message_id        CHAR(36) COLLATE Latin1_General_BIN2 NOT NULL,
  application       NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  event_type        NVARCHAR(255) COLLATE Latin1_General_BIN2 NOT NULL,
  schema_version    INT NOT NULL,
  aggregate_type    NVARCHAR(256) COLLATE Latin1_General_BIN2,
  message_key       NVARCHAR(256) COLLATE Latin1_General_BIN2,
  partition_no      INT NOT NULL,
  destination       NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  -- The id of the partition or blocked key while the message waits there, the partition's negative once it was abandoned, null
  -- once nothing is left to do: so the claim's index never meets what was published.
  queue_id          BIGINT,
  content_type      NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  payload           NVARCHAR(MAX) NOT NULL,
  payload_bytes     INT NOT NULL,
  headers           NVARCHAR(MAX),
  correlation_id    NVARCHAR(256) COLLATE Latin1_General_BIN2,
  causation_id      NVARCHAR(256) COLLATE Latin1_General_BIN2,
  tenant_id         NVARCHAR(256) COLLATE Latin1_General_BIN2,
  occurred_at       DATETIME2(6) NOT NULL,
  created_at        DATETIME2(6) DEFAULT SYSUTCDATETIME() NOT NULL,
  -- When a message that waits for a time becomes due: one that is delayed, or to be tried again. Else null.
  available_at      DATETIME2(6),
  not_before        DATETIME2(6),
  expires_at        DATETIME2(6),
  priority          SMALLINT,
  status            NVARCHAR(16) COLLATE Latin1_General_BIN2 NOT NULL,
  attempts          INT DEFAULT 0 NOT NULL,
  last_attempt_at   DATETIME2(6),
  last_error        NVARCHAR(2000) COLLATE Latin1_General_BIN2,
  published_at      DATETIME2(6),
  broker_message_id NVARCHAR(255) COLLATE Latin1_General_BIN2,
  -- Where it went instead while outbox.dispatcher.shadow-destination was set; null if it was really published.
  shadow_destination NVARCHAR(64) COLLATE Latin1_General_BIN2
);

CREATE UNIQUE INDEX ${index}message_id ON ${prefix}message (message_id);

CREATE INDEX ${index}message_queue ON ${prefix}message (queue_id, seq);

CREATE INDEX ${index}message_due ON ${prefix}message (queue_id, available_at);

-- A key that waits for a retry or an operator, with a queue of its own, so that it does not delay other keys. Its ids are no partition's.
CREATE TABLE ${prefix}blocked_key (
  id          BIGINT IDENTITY(4294967296, 1) PRIMARY KEY,
  partition_id INT NOT NULL,
  message_key NVARCHAR(256) COLLATE Latin1_General_BIN2 NOT NULL,
  due_at      DATETIME2(6)
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

-- What applications may read.
CREATE OR ALTER VIEW ${prefix}message_view AS
  SELECT m.seq, m.message_id, m.application, m.event_type, m.schema_version, m.aggregate_type, m.message_key,
    m.destination, m.content_type, m.payload, m.correlation_id, m.causation_id, m.tenant_id, m.occurred_at,
    m.created_at, m.not_before, m.available_at, m.expires_at, m.priority, m.status, m.attempts, m.last_attempt_at,
    m.last_error, m.published_at, m.broker_message_id, m.shadow_destination
  FROM ${prefix}message m;

-- A view is written through to its table, unless something else is said to happen instead.
CREATE OR ALTER TRIGGER ${prefix}message_view_readonly ON ${prefix}message_view INSTEAD OF INSERT, UPDATE, DELETE AS
  THROW 50000, 'the view of the outbox messages is read-only', 1;

-- Whether a destination is paused; * is every destination. The claim asks it, so that all nodes obey from the next batch on.
CREATE TABLE ${prefix}control (
  application NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  destination NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  paused      SMALLINT DEFAULT 0 NOT NULL,
  changed_by  NVARCHAR(255) COLLATE Latin1_General_BIN2,
  changed_at  DATETIME2(6),
  PRIMARY KEY (application, destination)
);

-- The operations of operators.
CREATE TABLE ${prefix}audit (
  id          INT IDENTITY(1, 1) PRIMARY KEY,
  application NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  done_by     NVARCHAR(255) COLLATE Latin1_General_BIN2 NOT NULL,
  action      NVARCHAR(32) COLLATE Latin1_General_BIN2 NOT NULL,
  subject     NVARCHAR(2000) COLLATE Latin1_General_BIN2 NOT NULL,
  changed     INT NOT NULL,
  done_at     DATETIME2(6) DEFAULT SYSUTCDATETIME() NOT NULL
);

-- Which messages each operation changed: what a message went through. Rows go with their message when it is swept.
CREATE TABLE ${prefix}audit_message (
  seq      BIGINT NOT NULL,
  audit_id INT NOT NULL,
  PRIMARY KEY (seq, audit_id)
);

-- Where swept messages go with outbox.retention.mode=archive. The outbox does not read it; it may be moved or emptied.
CREATE TABLE ${prefix}archive (
  seq               BIGINT NOT NULL PRIMARY KEY,
  message_id        CHAR(36) COLLATE Latin1_General_BIN2 NOT NULL,
  application       NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  event_type        NVARCHAR(255) COLLATE Latin1_General_BIN2 NOT NULL,
  schema_version    INT NOT NULL,
  aggregate_type    NVARCHAR(256) COLLATE Latin1_General_BIN2,
  message_key       NVARCHAR(256) COLLATE Latin1_General_BIN2,
  partition_no      INT NOT NULL,
  destination       NVARCHAR(64) COLLATE Latin1_General_BIN2 NOT NULL,
  content_type      NVARCHAR(100) COLLATE Latin1_General_BIN2 NOT NULL,
  payload           NVARCHAR(MAX) NOT NULL,
  payload_bytes     INT NOT NULL,
  headers           NVARCHAR(MAX),
  correlation_id    NVARCHAR(256) COLLATE Latin1_General_BIN2,
  causation_id      NVARCHAR(256) COLLATE Latin1_General_BIN2,
  tenant_id         NVARCHAR(256) COLLATE Latin1_General_BIN2,
  occurred_at       DATETIME2(6) NOT NULL,
  created_at        DATETIME2(6) NOT NULL,
  not_before        DATETIME2(6),
  expires_at        DATETIME2(6),
  priority          SMALLINT,
  status            NVARCHAR(16) COLLATE Latin1_General_BIN2 NOT NULL,
  attempts          INT NOT NULL,
  last_attempt_at   DATETIME2(6),
  last_error        NVARCHAR(2000) COLLATE Latin1_General_BIN2,
  published_at      DATETIME2(6),
  broker_message_id NVARCHAR(255) COLLATE Latin1_General_BIN2,
  shadow_destination NVARCHAR(64) COLLATE Latin1_General_BIN2,
  archived_at       DATETIME2(6) DEFAULT SYSUTCDATETIME() NOT NULL
);

-- What consumers have handled, written by the transaction that did the work. Swept after outbox.retention.inbox.
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
  last_occurred_at DATETIME2(6),
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
