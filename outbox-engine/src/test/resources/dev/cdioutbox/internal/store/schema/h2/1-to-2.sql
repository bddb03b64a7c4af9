-- A version 2 that was made up for UpgradeTest: two columns more, an index less.

SET LOCK_TIMEOUT 500;

ALTER TABLE ${prefix}queue ADD COLUMN IF NOT EXISTS claims INT DEFAULT 0 NOT NULL;

ALTER TABLE ${prefix}message ADD COLUMN IF NOT EXISTS region VARCHAR(64);

DROP INDEX IF EXISTS ${prefix}inbox_received;

MERGE INTO ${prefix}schema (version, readable_from) KEY (version) VALUES (2, 1);
