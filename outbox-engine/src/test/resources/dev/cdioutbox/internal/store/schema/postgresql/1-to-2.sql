-- A version 2 that was made up for UpgradeTest: two columns more, an index less.
-- Old and new nodes may work while this is applied, one statement at a time, outside of a transaction.

-- A change waits for a claim's transaction, and holds up what comes after it: the settlement for which that claim waits. So it
-- waits for half a second at a time.
CREATE OR REPLACE PROCEDURE ${prefix}change(change text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('lock_timeout', '500ms', TRUE);
  FOR attempt IN 1..100 LOOP
    BEGIN
      EXECUTE change;
      EXIT;
    EXCEPTION WHEN lock_not_available THEN
      IF attempt = 100 THEN
        RAISE;
      END IF;
      PERFORM pg_sleep(0.5);
    END;
  END LOOP;
END $$;

CALL ${prefix}change('ALTER TABLE ${prefix}queue ADD COLUMN IF NOT EXISTS claims INT DEFAULT 0 NOT NULL');

CALL ${prefix}change('ALTER TABLE ${prefix}message ADD COLUMN IF NOT EXISTS region VARCHAR(64)');

CALL ${prefix}change('DROP INDEX IF EXISTS ${prefix}inbox_received');

DROP PROCEDURE ${prefix}change;

INSERT INTO ${prefix}schema (version, readable_from) VALUES (2, 1) ON CONFLICT (version) DO NOTHING;
