-- CDI Outbox, schema 1, H2 2.2.220 or later. ${prefix} is outbox.table-prefix.
-- Statements end with a semicolon at the end of a line, and may be applied again.

CREATE TABLE IF NOT EXISTS ${prefix}schema (
  version       INT NOT NULL PRIMARY KEY,
  readable_from INT NOT NULL,
  applied_at    TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL
);

-- A row is a queue: what one application sends to one destination, cut in partitions by key. Its lock is the claim.
CREATE TABLE IF NOT EXISTS ${prefix}partition (
  id           INT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  application  VARCHAR(64) NOT NULL,
  destination  VARCHAR(64) NOT NULL,
  partition_no INT NOT NULL,
  UNIQUE (application, destination, partition_no)
);

CREATE TABLE IF NOT EXISTS ${prefix}message (
  seq               BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  message_id        CHAR(36) NOT NULL,
  application       VARCHAR(64) NOT NULL,
  event_type        VARCHAR(255) NOT NULL,
  schema_version    INT NOT NULL,
  aggregate_type    VARCHAR(255),
  message_key       VARCHAR(255),
  partition_no      INT NOT NULL,
  destination       VARCHAR(64) NOT NULL,
  -- The partition's id while the message waits there, its negative once it was abandoned, null once nothing is left
  -- to do: so the claim's index never meets what was published.
  queue_id          INT,
  content_type      VARCHAR(100) NOT NULL,
  payload           CHARACTER LARGE OBJECT NOT NULL,
  payload_bytes     INT NOT NULL,
  headers           CHARACTER LARGE OBJECT,
  correlation_id    VARCHAR(255),
  causation_id      VARCHAR(255),
  tenant_id         VARCHAR(255),
  occurred_at       TIMESTAMP(6) WITH TIME ZONE NOT NULL,
  created_at        TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  available_at      TIMESTAMP(6) WITH TIME ZONE,
  expires_at        TIMESTAMP(6) WITH TIME ZONE,
  status            VARCHAR(16) NOT NULL,
  attempts          INT DEFAULT 0 NOT NULL,
  last_attempt_at   TIMESTAMP(6) WITH TIME ZONE,
  last_error        VARCHAR(2000),
  locked_by         VARCHAR(64),
  locked_until      TIMESTAMP(6) WITH TIME ZONE,
  published_at      TIMESTAMP(6) WITH TIME ZONE,
  broker_message_id VARCHAR(255)
);

CREATE UNIQUE INDEX IF NOT EXISTS ${prefix}message_id ON ${prefix}message (message_id);

CREATE INDEX IF NOT EXISTS ${prefix}message_queue ON ${prefix}message (queue_id, seq);

-- Who dispatches. Information, and the row that the two-branch probe writes; never a matter of correctness.
CREATE TABLE IF NOT EXISTS ${prefix}node (
  node_id      VARCHAR(64) NOT NULL PRIMARY KEY,
  application  VARCHAR(64) NOT NULL,
  host         VARCHAR(255) NOT NULL,
  server       VARCHAR(255) NOT NULL,
  process      BIGINT NOT NULL,
  version      VARCHAR(64) NOT NULL,
  started_at   TIMESTAMP(6) WITH TIME ZONE DEFAULT CURRENT_TIMESTAMP NOT NULL,
  last_tick_at TIMESTAMP(6) WITH TIME ZONE NOT NULL
);

MERGE INTO ${prefix}schema (version, readable_from) KEY (version) VALUES (1, 1);
