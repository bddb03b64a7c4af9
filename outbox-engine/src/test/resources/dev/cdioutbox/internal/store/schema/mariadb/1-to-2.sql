-- A version 2 that was made up for UpgradeTest: two columns more, an index less.
-- Old and new nodes may work while this is applied. If a statement fails because a lock was not to be had, apply the file again.

-- A change waits for a claim's transaction, and holds up what comes after it: the settlement for which that claim waits. A second
-- is the least that MySQL waits.
SET SESSION lock_wait_timeout = 1;

-- MySQL has no ADD COLUMN IF NOT EXISTS. A change that is there already takes no lock.
SET @schema = IF('${prefix}' LIKE '%.%', SUBSTRING_INDEX('${prefix}', '.', 1), DATABASE());

SET @prefix = SUBSTRING_INDEX('${prefix}', '.', -1);

SET @next = IF(EXISTS (SELECT 1 FROM information_schema.columns
    WHERE table_schema = @schema AND table_name = CONCAT(@prefix, 'queue') AND column_name = 'claims'),
  'DO 0', 'ALTER TABLE ${prefix}queue ADD COLUMN claims INT DEFAULT 0 NOT NULL, ALGORITHM = INSTANT');

PREPARE next_change FROM @next;

EXECUTE next_change;

SET @next = IF(EXISTS (SELECT 1 FROM information_schema.columns
    WHERE table_schema = @schema AND table_name = CONCAT(@prefix, 'message') AND column_name = 'region'),
  'DO 0', 'ALTER TABLE ${prefix}message ADD COLUMN region VARCHAR(64), ALGORITHM = INSTANT');

PREPARE next_change FROM @next;

EXECUTE next_change;

SET @next = IF(EXISTS (SELECT 1 FROM information_schema.statistics
    WHERE table_schema = @schema AND table_name = CONCAT(@prefix, 'inbox') AND index_name = '${index}inbox_received'),
  'DROP INDEX ${index}inbox_received ON ${prefix}inbox', 'DO 0');

PREPARE next_change FROM @next;

EXECUTE next_change;

INSERT IGNORE INTO ${prefix}schema (version, readable_from) VALUES (2, 1);
