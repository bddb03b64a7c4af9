-- Switches a destination between the dispatcher and change data capture while the application runs, as docs/howto/cdc.md says.
-- Apply this as the owner of the tables. outbox_switch_end() removes it.
--
-- For the time until each node has the new configuration, triggers let all nodes write in the same way. Their creation is one
-- moment between the last message of the one way and the first one of the other.

-- What to do with a new message: 'cdc' or 'queue'.
CREATE OR REPLACE FUNCTION outbox_switch_message() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_ARGV[0] = 'cdc' AND (NEW.not_before IS NOT NULL OR NEW.expires_at IS NOT NULL) THEN
    RAISE EXCEPTION 'OBX-0125: destination ''%'' has transport=cdc now, so nothing can delay a message or let it expire', NEW.destination;
  END IF;
  NEW.transport := CASE TG_ARGV[0] WHEN 'cdc' THEN 'cdc' END;
  RETURN NEW;
END $$;

-- A delivery in place of a row in the queue.
CREATE OR REPLACE FUNCTION outbox_switch_queue() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM outbox_message m WHERE m.seq = NEW.seq AND m.transport = 'cdc') THEN
    RETURN NEW;
  END IF;
  INSERT INTO outbox_delivery (seq, status, settled_at, attempts) VALUES (NEW.seq, 3, statement_timestamp(), 0);
  RETURN NULL;
END $$;

-- A row in the queue in place of a delivery that no dispatcher has written.
CREATE OR REPLACE FUNCTION outbox_switch_delivery() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO outbox_queue (seq, queue_id)
    SELECT m.seq, m.partition_id FROM outbox_message m WHERE m.seq = NEW.seq AND m.transport IS NULL;
  IF FOUND THEN
    RETURN NULL;
  END IF;
  RETURN NEW;
END $$;

-- Not DROP and CREATE: that would also wait for readers, and meet them in a deadlock.
CREATE OR REPLACE FUNCTION outbox_switch_create(app text, dest text, way text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  running TEXT;
BEGIN
  -- There is one trigger, which would forget the other destination, while nodes still have its previous configuration.
  SELECT obj_description(t.oid, 'pg_trigger') INTO running FROM pg_trigger t
    WHERE t.tgrelid = CAST('outbox_message' AS regclass) AND t.tgname = 'outbox_switch';
  IF running <> app || '/' || dest THEN
    RAISE EXCEPTION 'OBX-0334: the switch of % has not ended, so nothing is switched. Call outbox_switch_end() first', running;
  END IF;
  EXECUTE format('CREATE OR REPLACE TRIGGER outbox_switch BEFORE INSERT ON outbox_message FOR EACH ROW'
    ' WHEN (NEW.application = %L AND NEW.destination = %L) EXECUTE FUNCTION outbox_switch_message(%L)', app, dest, way);
  EXECUTE format('COMMENT ON TRIGGER outbox_switch ON outbox_message IS %L', app || '/' || dest);
END $$;

-- From the dispatcher to change data capture. New messages wait at the lock until the queue is empty, for ten seconds at most.
CREATE OR REPLACE PROCEDURE outbox_to_cdc(app text, dest text, slot text) LANGUAGE plpgsql AS $$
DECLARE
  waiting BIGINT;
  deadline TIMESTAMPTZ;
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_replication_slots s WHERE s.slot_name = slot AND s.database = current_database() AND s.active) THEN
    RAISE EXCEPTION 'OBX-0334: nobody reads the replication slot ''%'', so nothing is switched. Start the connector', slot;
  END IF;
  IF EXISTS (SELECT 1 FROM outbox_control c WHERE c.application = app AND c.destination IN (dest, '*') AND c.paused = 1) THEN
    RAISE EXCEPTION 'OBX-0334: destination ''%'' is paused, so nothing is switched. Resume it', dest;
  END IF;
  PERFORM set_config('lock_timeout', '10s', TRUE);
  -- Does nothing until a message has the mark. Not below the lock, where it could meet a settlement in a deadlock.
  CREATE OR REPLACE TRIGGER outbox_switch BEFORE INSERT ON outbox_queue FOR EACH ROW EXECUTE FUNCTION outbox_switch_queue();
  COMMIT;
  PERFORM set_config('lock_timeout', '10s', TRUE);
  -- Waits for the transactions that have captured, and holds up those that are about to.
  LOCK TABLE outbox_message IN SHARE ROW EXCLUSIVE MODE;
  deadline := clock_timestamp() + INTERVAL '10 s';
  LOOP
    SELECT COUNT(*) INTO waiting FROM outbox_queue q JOIN outbox_message m ON m.seq = q.seq
      WHERE q.queue_id > 0 AND m.application = app AND m.destination = dest;
    EXIT WHEN waiting = 0;
    IF clock_timestamp() > deadline THEN
      RAISE EXCEPTION 'OBX-0334: % message(s) of destination ''%'' still wait, so nothing is switched. Retry or discard those that'
        ' failed, and switch again when fewer wait', waiting, dest;
    END IF;
    PERFORM pg_sleep(0.02);
  END LOOP;
  PERFORM outbox_switch_create(app, dest, 'cdc');
END $$;

-- From change data capture to the dispatcher. New messages wait in the queue, paused, until the connector has sent the older ones.
CREATE OR REPLACE PROCEDURE outbox_to_dispatcher(app text, dest text) LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('lock_timeout', '10s', TRUE);
  CREATE OR REPLACE TRIGGER outbox_switch BEFORE INSERT ON outbox_delivery FOR EACH ROW
    WHEN (NEW.status = 3 AND NEW.attempts = 0) EXECUTE FUNCTION outbox_switch_delivery();
  COMMIT;
  PERFORM set_config('lock_timeout', '10s', TRUE);
  LOCK TABLE outbox_message IN SHARE ROW EXCLUSIVE MODE;
  UPDATE outbox_control SET paused = 1, changed_by = 'switch at ' || pg_current_wal_insert_lsn(), changed_at = clock_timestamp()
    WHERE application = app AND destination = dest;
  PERFORM outbox_switch_create(app, dest, 'queue');
END $$;

-- The last step on the way back: lets the dispatcher send what waits.
CREATE OR REPLACE PROCEDURE outbox_resume_dispatcher(app text, dest text, slot text) LANGUAGE plpgsql AS $$
DECLARE
  switched_at PG_LSN;
BEGIN
  SELECT CAST(substring(c.changed_by FROM '^switch at (.*)$') AS PG_LSN) INTO switched_at FROM outbox_control c
    WHERE c.application = app AND c.destination = dest AND c.paused = 1;
  IF switched_at IS NULL THEN
    RAISE EXCEPTION 'OBX-0334: destination ''%'' is not being switched to the dispatcher', dest;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM pg_replication_slots s WHERE s.slot_name = slot AND s.confirmed_flush_lsn >= switched_at) THEN
    RAISE EXCEPTION 'OBX-0334: the connector has not confirmed all messages of destination ''%'' yet. Try again in a minute', dest;
  END IF;
  UPDATE outbox_control SET paused = 0, changed_by = 'switch', changed_at = clock_timestamp()
    WHERE application = app AND destination = dest;
END $$;

-- When each node has the new configuration. DROP TRIGGER waits for readers, and holds up what comes after it: a delivery, which
-- reads in one transaction and settles in another one, would wait for itself. So it waits for half a second at a time.
CREATE OR REPLACE PROCEDURE outbox_switch_end() LANGUAGE plpgsql AS $$
DECLARE
  changed TEXT;
BEGIN
  FOREACH changed IN ARRAY ARRAY['outbox_message', 'outbox_queue', 'outbox_delivery'] LOOP
    PERFORM set_config('lock_timeout', '500ms', TRUE);
    FOR attempt IN 1..100 LOOP
      BEGIN
        EXECUTE format('DROP TRIGGER IF EXISTS outbox_switch ON %I', changed);
        EXIT;
      EXCEPTION WHEN lock_not_available THEN
        IF attempt = 100 THEN
          RAISE EXCEPTION 'OBX-0334: % could not be locked within half a second, in a hundred attempts. Call outbox_switch_end() again', changed;
        END IF;
        PERFORM pg_sleep(0.5);
      END;
    END LOOP;
    -- One lock at a time.
    COMMIT;
  END LOOP;
  DROP FUNCTION outbox_switch_message, outbox_switch_queue, outbox_switch_delivery, outbox_switch_create;
  DROP PROCEDURE outbox_to_cdc, outbox_to_dispatcher, outbox_resume_dispatcher, outbox_switch_end;
END $$;
