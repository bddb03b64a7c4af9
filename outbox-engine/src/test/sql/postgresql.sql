-- AcceptedMessages.find
SELECT seq FROM outbox_message WHERE message_id = ?;

-- AcceptedMessages.setAside
UPDATE outbox_queue SET status = 2, queue_id = -queue_id, last_attempt_at = statement_timestamp(), last_error = ?
WHERE seq = ?;

-- AuditTable.insert
INSERT INTO outbox_audit (application, done_by, done_as, action, subject, changed, done_at)
VALUES (?, ?, ?, ?, ?, ?, statement_timestamp());

-- AuditTable.insertMessage
INSERT INTO outbox_audit_message (seq, audit_id) VALUES (?, ?);

-- AuditTable.last
SELECT id, done_by, done_as, action, subject, changed, done_at AS done_at FROM outbox_audit WHERE application = ? AND id < ?
ORDER BY id DESC FETCH FIRST ? ROWS ONLY;

-- AuditTable.lastOfMessage
SELECT id, done_by, done_as, action, subject, changed, done_at AS done_at FROM outbox_audit_message m JOIN outbox_audit a ON a.id = m.audit_id
WHERE m.seq = (SELECT o.seq FROM outbox_message o WHERE o.application = ? AND o.message_id = ?)
ORDER BY a.id DESC FETCH FIRST ? ROWS ONLY;

-- BackfillTable.advance
UPDATE outbox_control SET backfill_position = ?, backfill_copied = backfill_copied + ?,
  backfill_present = backfill_present + ?, backfill_skipped = backfill_skipped + ? WHERE application = ? AND destination = ?;

-- BackfillTable.all
SELECT destination, backfill_source, backfill_types, backfill_from AS backfill_from, backfill_position, backfill_end,
  backfill_copied, backfill_present, backfill_skipped, backfill_started_at AS backfill_started_at,
  backfill_ended_at AS backfill_ended_at, paused FROM outbox_control WHERE application = ? AND backfill_started_at IS NOT NULL
ORDER BY destination;

-- BackfillTable.begin
UPDATE outbox_control SET backfill_position = ?, backfill_end = ? WHERE application = ? AND destination = ?;

-- BackfillTable.cancel
UPDATE outbox_control SET backfill_end = backfill_position WHERE application = ? AND destination = ? AND backfill_partition IS NOT NULL
  AND (backfill_end IS NULL OR backfill_end > backfill_position);

-- BackfillTable.endIfSent
UPDATE outbox_control SET backfill_ended_at = statement_timestamp(), backfill_partition = NULL WHERE application = ? AND destination = ?
  AND (SELECT q.seq FROM outbox_queue q WHERE q.queue_id = outbox_control.backfill_partition FETCH FIRST 1 ROWS ONLY) IS NULL
  AND (SELECT q.seq FROM outbox_blocked_key g JOIN outbox_queue q ON q.queue_id = g.id
    WHERE g.partition_id = outbox_control.backfill_partition FETCH FIRST 1 ROWS ONLY) IS NULL;

-- BackfillTable.highest
SELECT MAX(seq) FROM outbox_message;

-- BackfillTable.lock
SELECT destination, backfill_source, backfill_types, backfill_from AS backfill_from, backfill_position, backfill_end,
  backfill_copied, backfill_present, backfill_skipped, backfill_started_at AS backfill_started_at,
  backfill_ended_at AS backfill_ended_at, paused FROM outbox_control
WHERE application = ? AND destination = ? AND backfill_partition IS NOT NULL AND paused = 0 FOR UPDATE SKIP LOCKED;

-- BackfillTable.lockPartitions
SELECT id FROM outbox_partition
WHERE (leased_until IS NULL OR leased_until <= statement_timestamp()) AND id IN (?) FOR UPDATE SKIP LOCKED;

-- BackfillTable.lockWaiting
SELECT q.seq FROM outbox_queue q
WHERE q.status = 0 AND q.available_at IS NULL AND q.requeued_at IS NULL AND q.queue_id <> ?
  AND q.queue_id = (SELECT m.partition_id FROM outbox_message m WHERE m.seq = q.seq)
  AND NOT EXISTS (SELECT 1 FROM outbox_audit_message a WHERE a.seq = q.seq) AND q.seq IN (?) FOR UPDATE SKIP LOCKED;

-- BackfillTable.present
SELECT message_id, seq FROM outbox_message WHERE message_id IN (?);

-- BackfillTable.read
SELECT destination, backfill_source, backfill_types, backfill_from AS backfill_from, backfill_position, backfill_end,
  backfill_copied, backfill_present, backfill_skipped, backfill_started_at AS backfill_started_at,
  backfill_ended_at AS backfill_ended_at, paused FROM outbox_control WHERE application = ? AND destination = ?;

-- BackfillTable.removeMessages
DELETE FROM outbox_message
WHERE partition_id > 0 AND seq IN (?);

-- BackfillTable.removeWaiting
DELETE FROM outbox_queue WHERE queue_id <> 0 AND seq IN (?);

-- BackfillTable.running
SELECT c.destination FROM outbox_control c WHERE c.application = ? AND c.backfill_partition IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM outbox_control p WHERE p.application = c.application
    AND p.destination IN (c.destination, '*') AND p.paused = 1);

-- BackfillTable.start
UPDATE outbox_control SET backfill_partition = ?, backfill_source = ?, backfill_types = ?,
  backfill_from = CAST(? AS TIMESTAMPTZ), backfill_position = 0, backfill_end = NULL, backfill_copied = 0, backfill_present = 0,
  backfill_skipped = 0, backfill_started_at = statement_timestamp(), backfill_ended_at = NULL WHERE application = ? AND destination = ? AND backfill_partition IS NULL;

-- BacklogReader.highestShadowed
SELECT d.seq FROM outbox_delivery d JOIN outbox_message m ON m.seq = d.seq
WHERE m.application = ? AND m.destination = ? AND d.shadow_destination IS NOT NULL
ORDER BY d.seq DESC FETCH FIRST 1 ROWS ONLY;

-- BlockedKeyFinder.find
SELECT w.queue_id, w.messages, w.looked_at, m.message_key, m.destination, m.message_id, m.event_type, q.status, q.attempts,
  q.last_error, q.available_at AS available_at
FROM (SELECT c.queue_id, c.first_seq, c.messages, c.looked_at FROM (
    SELECT r.queue_id, MIN(r.seq) AS first_seq, COUNT(*) AS messages, SUM(COUNT(*)) OVER () AS looked_at FROM (
      SELECT i.queue_id, i.seq FROM outbox_queue i WHERE i.queue_id > ?
      ORDER BY i.queue_id, i.seq FETCH FIRST 100000 ROWS ONLY) r GROUP BY r.queue_id) c
  WHERE EXISTS (SELECT 1 FROM outbox_blocked_key b JOIN outbox_partition p ON p.id = b.partition_id
    WHERE b.id = c.queue_id AND p.application = ?)
  ORDER BY c.messages DESC, c.queue_id FETCH FIRST ? ROWS ONLY) w
JOIN outbox_queue q ON q.seq = w.first_seq
JOIN outbox_message m ON m.seq = w.first_seq
WHERE q.status <> 0 ORDER BY w.messages DESC, w.queue_id;

-- BlockedKeyMaintenance.correctDueTime
UPDATE outbox_blocked_key SET due_at = (
  SELECT CASE WHEN q.status = 2 THEN NULL ELSE COALESCE(q.available_at, statement_timestamp()) END
  FROM outbox_queue q WHERE q.queue_id = outbox_blocked_key.id ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY)
WHERE id = ? AND EXISTS (SELECT 1 FROM outbox_queue n WHERE n.queue_id = outbox_blocked_key.id);

-- BlockedKeyMaintenance.deleteEmpty
DELETE FROM outbox_blocked_key WHERE id = ?
  AND NOT EXISTS (SELECT 1 FROM outbox_queue q WHERE q.queue_id = outbox_blocked_key.id);

-- BlockedKeyMaintenance.findEmpty
SELECT g.id FROM outbox_blocked_key g WHERE g.id IN (?)
  AND NOT EXISTS (SELECT 1 FROM outbox_queue q WHERE q.queue_id = g.id);

-- BlockedKeyMaintenance.lock
SELECT id FROM outbox_blocked_key WHERE id IN (?) FOR UPDATE SKIP LOCKED;

-- BlockedKeyTable.find
SELECT id FROM outbox_blocked_key WHERE partition_id = ? AND message_key = ?;

-- BlockedKeyTable.insert
INSERT INTO outbox_blocked_key (due_at, id, partition_id, message_key)
VALUES (COALESCE(statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond', NULL), ?, ?, ?);

-- BlockedKeyTable.setDue
UPDATE outbox_blocked_key SET due_at = COALESCE(statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond', NULL) WHERE id = ?;

-- ControlTable.insert
INSERT INTO outbox_control (application, destination, paused) VALUES (?, ?, ?);

-- ControlTable.isPaused
SELECT paused FROM outbox_control WHERE application = ? AND destination = ?;

-- ControlTable.pause
UPDATE outbox_control SET paused = ?, changed_by = ?, changed_at = statement_timestamp()
WHERE application = ? AND destination = ? AND paused = ?;

-- CrashHistory.crashedSinceDelivery
SELECT c.seq FROM (
    SELECT q.seq, q.last_attempt_at FROM outbox_partition p
    JOIN outbox_queue q ON q.queue_id = -p.id
    WHERE p.application = ? AND p.destination = ? AND q.last_error LIKE 'OBX-0416%'
    ORDER BY q.last_attempt_at DESC FETCH FIRST 1 ROWS ONLY) c
WHERE NOT EXISTS (
  SELECT 1 FROM (SELECT s.seq, s.status, s.settled_at FROM outbox_delivery s
    ORDER BY s.seq DESC FETCH FIRST 10000 ROWS ONLY) n
  WHERE CASE WHEN n.status = 3 AND n.settled_at > c.last_attempt_at THEN
    (SELECT m.seq FROM outbox_message m WHERE m.seq = n.seq
      AND m.application = ? AND m.destination = ?) END IS NOT NULL);

-- CrashHistory.planByIndex
SELECT set_config('enable_seqscan', 'off', TRUE), set_config('enable_bitmapscan', 'off', TRUE), set_config('enable_sort', 'off', TRUE), set_config('enable_hashjoin', 'off', TRUE), set_config('enable_mergejoin', 'off', TRUE), set_config('jit', 'off', TRUE);

-- CrashHistory.stoppedBy
SELECT s.seq FROM (
    SELECT (SELECT CASE WHEN q.status = 1 AND q.last_error LIKE 'OBX-0451%' THEN q.seq END FROM outbox_queue q
      WHERE q.queue_id = g.id AND q.status <> 2
      ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) AS seq
    FROM (SELECT b.id FROM outbox_partition p JOIN outbox_blocked_key b ON b.partition_id = p.id + 0
      WHERE p.application = ? AND p.destination = ? FETCH FIRST 10000 ROWS ONLY) g
  UNION ALL
    SELECT d.seq FROM (SELECT CASE WHEN q.status = 1 AND q.last_error LIKE 'OBX-0451%' THEN q.seq END AS seq FROM outbox_partition p
      JOIN outbox_queue q ON q.queue_id = p.id AND q.available_at IS NOT NULL
      WHERE p.application = ? AND p.destination = ? AND p.partition_no = 4094
      FETCH FIRST 10000 ROWS ONLY) d) s
WHERE s.seq IS NOT NULL ORDER BY s.seq FETCH FIRST 1 ROWS ONLY;

-- DelayedMessages.due
SELECT seq FROM outbox_queue WHERE queue_id = ? AND available_at <= statement_timestamp()
ORDER BY queue_id, available_at FETCH FIRST 1000 ROWS ONLY;

-- DelayedMessages.lock
SELECT seq, (SELECT m.partition_id FROM outbox_message m WHERE m.seq = q.seq) AS home
FROM outbox_queue q
WHERE available_at <= statement_timestamp() AND COALESCE(queue_id, 0) = ? AND seq IN (?) FOR UPDATE SKIP LOCKED;

-- DelayedMessages.move
UPDATE outbox_queue SET available_at = NULL,
  queue_id = (SELECT m.partition_id FROM outbox_message m WHERE m.seq = outbox_queue.seq)
WHERE COALESCE(queue_id, 0) = ? AND seq IN (?);

-- DelayedMessages.nextDue
SELECT MIN(w.due_at) AS due_at, statement_timestamp() AS read_at FROM (
  SELECT (SELECT g.due_at FROM outbox_blocked_key g
    WHERE g.partition_id = p.id AND g.due_at > statement_timestamp()
    ORDER BY g.partition_id, g.due_at FETCH FIRST 1 ROWS ONLY) AS due_at
  FROM outbox_partition p WHERE p.id BETWEEN ? AND ?
  UNION ALL SELECT * FROM (
    SELECT available_at AS due_at FROM outbox_queue WHERE queue_id = ? AND available_at > statement_timestamp()
    ORDER BY queue_id, available_at FETCH FIRST 1 ROWS ONLY) d) w;

-- DeliveryTable.delete
DELETE FROM outbox_delivery WHERE status > 0 AND seq IN (?);

-- DeliveryTable.discard
INSERT INTO outbox_delivery (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
SELECT seq, 5, statement_timestamp(), attempts, last_error, NULL, NULL FROM outbox_queue WHERE seq IN (?);

-- DeliveryTable.expire
WITH settled AS (
  DELETE FROM outbox_queue WHERE COALESCE(queue_id, 0) > 0 AND requeued_at IS NULL AND seq IN (?) RETURNING seq, attempts, last_error)
INSERT INTO outbox_delivery (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
SELECT seq, 4, statement_timestamp(), attempts, last_error, NULL, NULL FROM settled;

-- DeliveryTable.lockDiscarded
SELECT seq FROM outbox_delivery WHERE status = 5 AND seq IN (?) FOR UPDATE;

-- DeliveryTable.lockExpired
SELECT seq FROM outbox_queue
WHERE COALESCE(queue_id, 0) > 0 AND requeued_at IS NULL AND seq IN (?) FOR UPDATE;

-- DeliveryTable.lockRetried
SELECT seq FROM outbox_queue
WHERE COALESCE(queue_id, 0) > 0 AND requeued_at IS NOT NULL AND seq IN (?) FOR UPDATE;

-- DeliveryTable.planByIndex
SELECT set_config('enable_seqscan', 'off', TRUE), set_config('enable_bitmapscan', 'off', TRUE), set_config('enable_sort', 'off', TRUE), set_config('enable_hashjoin', 'off', TRUE), set_config('enable_mergejoin', 'off', TRUE), set_config('jit', 'off', TRUE);

-- DeliveryTable.remove
DELETE FROM outbox_queue WHERE queue_id <> 0 AND seq IN (?);

-- DeliveryTable.removeExpired
DELETE FROM outbox_queue WHERE COALESCE(queue_id, 0) > 0 AND requeued_at IS NULL AND seq IN (?);

-- DeliveryTable.removePending
DELETE FROM outbox_queue WHERE COALESCE(queue_id, 0) > 0 AND seq IN (?);

-- DueBlockedKeys.ofOnePartition
SELECT * FROM (SELECT id, partition_id, message_key FROM outbox_blocked_key
  WHERE partition_id = ? AND due_at <= statement_timestamp()
  ORDER BY partition_id, due_at FETCH FIRST ? ROWS ONLY) part;

-- ErasureTable.deleteArchived
DELETE FROM outbox_archive
WHERE payload_bytes >= 0 AND seq IN (?);

-- ErasureTable.deleteArchivedMessage
DELETE FROM outbox_archive WHERE message_id = ? AND application = ?;

-- ErasureTable.erase
UPDATE outbox_message SET payload = NULL, payload_binary = NULL, headers = NULL,
  message_key = NULL, aggregate_id = NULL, correlation_id = NULL, causation_id = NULL, tenant_id = NULL
WHERE payload_bytes >= 0 AND seq IN (?);

-- ErasureTable.eraseErrors
UPDATE outbox_delivery SET last_error = NULL
WHERE status > 0 AND seq IN (?);

-- ErasureTable.ids
SELECT message_id FROM outbox_message WHERE seq IN (?);

-- ErasureTable.lock
SELECT seq, status FROM outbox_delivery
WHERE status > 0 AND seq IN (?) FOR UPDATE SKIP LOCKED;

-- FencingTokenTable.begin
UPDATE outbox_partition SET fencing_token = ?
WHERE id = ? AND fencing_token IS NULL;

-- FencingTokenTable.lock
SELECT id FROM outbox_partition WHERE id = ? FOR UPDATE SKIP LOCKED;

-- FencingTokenTable.read
SELECT fencing_token FROM outbox_partition WHERE id = ?;

-- FencingTokenTable.replace
UPDATE outbox_partition SET fencing_token = ?
WHERE id = ? AND fencing_token = ?;

-- HeldLeases.fence
SELECT id FROM outbox_partition
WHERE owner = ? AND id IN (?) FOR UPDATE;

-- HeldLeases.giveBack
UPDATE outbox_partition SET owner = NULL, leased_until = NULL
WHERE owner = ? AND id IN (?);

-- HeldLeases.lockFree
SELECT id FROM outbox_partition
WHERE owner = ? AND id IN (?) FOR UPDATE SKIP LOCKED;

-- HeldLeases.lockUnleased
SELECT id FROM outbox_partition
WHERE id = ? AND (leased_until IS NULL OR leased_until <= statement_timestamp()) FOR UPDATE SKIP LOCKED;

-- HeldLeases.planByIndex
SELECT set_config('enable_seqscan', 'off', TRUE), set_config('enable_bitmapscan', 'off', TRUE), set_config('enable_sort', 'off', TRUE), set_config('enable_hashjoin', 'off', TRUE), set_config('enable_mergejoin', 'off', TRUE), set_config('jit', 'off', TRUE);

-- HeldLeases.renew
UPDATE outbox_partition SET leased_until = statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond'
WHERE id IN (?);

-- HeldLeases.take
UPDATE outbox_partition SET owner = ?, leased_until = statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond'
WHERE id = ?;

-- HeldUpKeyCounter.blocked
SELECT p.destination, COUNT(*) AS blocked_keys, SUM(COALESCE(w.messages - 1, 0)) AS followers, MIN(b.id) AS oldest
FROM (SELECT g.id, g.partition_id, (
    SELECT q.status FROM outbox_queue q WHERE q.queue_id = g.id
    ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) AS status
  FROM outbox_blocked_key g ORDER BY g.id FETCH FIRST 10000 ROWS ONLY) b
JOIN outbox_partition p ON p.id = b.partition_id
LEFT JOIN (SELECT r.queue_id, COUNT(*) AS messages FROM (
    SELECT i.queue_id, i.seq FROM outbox_queue i WHERE i.queue_id > ?
    ORDER BY i.queue_id, i.seq FETCH FIRST 20000 ROWS ONLY) r GROUP BY r.queue_id) w ON w.queue_id = b.id
WHERE p.application = ? AND b.status <> 0 GROUP BY p.destination;

-- HeldUpKeyCounter.inDoubt
SELECT m.seq, m.partition_id, m.message_key FROM outbox_message m
WHERE m.seq IN (?) AND m.message_key IS NOT NULL AND m.not_before IS NULL;

-- HeldUpKeyCounter.planByIndex
SELECT set_config('enable_seqscan', 'off', TRUE), set_config('enable_bitmapscan', 'off', TRUE), set_config('enable_sort', 'off', TRUE), set_config('enable_hashjoin', 'off', TRUE), set_config('enable_mergejoin', 'off', TRUE), set_config('jit', 'off', TRUE);

-- HeldUpKeyCounter.planScansByIndex
SELECT set_config('enable_seqscan', 'off', TRUE), set_config('enable_bitmapscan', 'off', TRUE), set_config('enable_sort', 'off', TRUE), set_config('jit', 'off', TRUE);

-- HeldUpKeyCounter.queues
SELECT DISTINCT q.queue_id FROM outbox_queue q WHERE q.seq IN (?);

-- HeldUpKeyCounter.waiting
SELECT m.seq, m.partition_id, m.message_key FROM (
  SELECT q.seq FROM outbox_queue q WHERE q.queue_id IN (?)
  FETCH FIRST 10000 ROWS ONLY) w
JOIN outbox_message m ON m.seq = w.seq
WHERE m.message_key IS NOT NULL AND m.not_before IS NULL;

-- JdbcInbox.advance
UPDATE outbox_inbox_key SET last_sequence = ?, last_stored_at = CAST(? AS TIMESTAMPTZ), received_at = statement_timestamp()
WHERE application = ? AND consumer = ? AND message_key = ? AND last_sequence <= ?;

-- JdbcInbox.last
SELECT last_sequence, last_stored_at AS last_stored_at FROM outbox_inbox_key
WHERE application = ? AND consumer = ? AND message_key = ?;

-- JdbcInbox.oldKeys
SELECT consumer, MAX(last_sequence) FROM (
  SELECT consumer, last_sequence FROM outbox_inbox_key WHERE application = ? AND received_at < statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond' AND message_key <> ? FETCH FIRST ? ROWS ONLY) o
GROUP BY consumer;

-- JdbcInbox.purgeKeys
DELETE FROM outbox_inbox_key WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM outbox_inbox_key WHERE application = ? AND received_at < statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond' AND message_key <> ? AND consumer = ? AND last_sequence <= ? FETCH FIRST ? ROWS ONLY FOR UPDATE SKIP LOCKED));

-- JdbcInbox.purgeMessages
DELETE FROM outbox_inbox WHERE ctid = ANY (ARRAY(
  SELECT ctid FROM outbox_inbox WHERE application = ? AND received_at < statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond' FETCH FIRST ? ROWS ONLY FOR UPDATE SKIP LOCKED));

-- JdbcPendingRows.countUnfinishedSend
UPDATE outbox_queue SET unfinished_sends = ? WHERE COALESCE(queue_id, 0) > 0 AND seq = ?;

-- JdbcPendingRows.lockPending
SELECT seq FROM outbox_queue
WHERE COALESCE(queue_id, 0) > 0 AND seq IN (?) FOR UPDATE SKIP LOCKED;

-- JdbcPendingRows.pending
SELECT seq FROM outbox_queue WHERE COALESCE(queue_id, 0) > 0 AND seq IN (?);

-- JdbcPendingRows.pendingIds
SELECT q.seq, m.message_id FROM outbox_queue q LEFT JOIN outbox_message m ON m.seq = q.seq
WHERE COALESCE(queue_id, 0) > 0 AND q.seq IN (?);

-- JdbcPendingRows.planByIndex
SELECT set_config('enable_seqscan', 'off', TRUE), set_config('enable_bitmapscan', 'off', TRUE), set_config('enable_sort', 'off', TRUE), set_config('enable_hashjoin', 'off', TRUE), set_config('enable_mergejoin', 'off', TRUE), set_config('jit', 'off', TRUE);

-- JdbcProbeStore.deleteSettled
DELETE FROM outbox_delivery WHERE status > 0 AND seq IN (?);

-- JdbcProbeStore.deleteWaiting
DELETE FROM outbox_queue WHERE queue_id <> 0 AND seq IN (?);

-- JdbcProbeStore.insert
INSERT INTO outbox_queue (seq, queue_id, last_attempt_at) VALUES (?, ?, statement_timestamp());

-- JdbcProbeStore.lockSettled
SELECT seq FROM outbox_delivery
WHERE seq < 0 AND (seq = ? OR settled_at < statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond') FOR UPDATE SKIP LOCKED;

-- JdbcProbeStore.lockWaiting
SELECT seq FROM outbox_queue
WHERE seq < 0 AND (seq = ? OR last_attempt_at < statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond') FOR UPDATE SKIP LOCKED;

-- JdbcProbeStore.preparedTransactions
SELECT CAST(current_setting('max_prepared_transactions') AS INT), (SELECT COUNT(*) FROM pg_prepared_xacts);

-- KeyLocks.lockKey
SELECT id FROM outbox_key_lock WHERE id = ? FOR UPDATE;

-- KeyLocks.lockKeys
SELECT id FROM outbox_key_lock WHERE id IN (?) ORDER BY id FOR UPDATE;

-- MessageFinder.columns
m.seq, m.message_id, m.event_type, m.schema_version, m.aggregate_type, m.aggregate_id, m.message_key, m.destination, m.content_type, m.payload, m.payload_binary, m.payload_bytes, m.headers, m.correlation_id, m.causation_id, m.tenant_id, m.occurred_at, m.created_at, m.not_before, CASE WHEN q.requeued_at IS NULL THEN m.expires_at END AS expires_at, m.priority, m.origin_message_id, COALESCE(q.status, d.status) AS status, COALESCE(q.attempts, d.attempts) AS attempts, COALESCE(q.last_attempt_at, d.settled_at) AS last_attempt_at, COALESCE(q.last_error, d.last_error) AS last_error, CASE WHEN d.status = 3 THEN d.settled_at END AS published_at, d.broker_message_id, d.shadow_destination, statement_timestamp() AS read_at;

-- MessageFinder.columnsOfWaiting
q.seq, m.message_id, m.event_type, m.schema_version, m.aggregate_type, m.aggregate_id, m.message_key, m.destination, m.content_type, m.payload, m.payload_binary, m.payload_bytes, m.headers, m.correlation_id, m.causation_id, m.tenant_id, m.occurred_at, m.created_at, m.not_before, CASE WHEN q.requeued_at IS NULL THEN m.expires_at END AS expires_at, m.priority, m.origin_message_id, q.status, q.attempts, q.last_attempt_at, q.last_error, statement_timestamp() AS read_at;

-- MessageFinder.countWaiting
SELECT COUNT(*) FROM (SELECT seq FROM outbox_queue ORDER BY seq FETCH FIRST ? ROWS ONLY) w;

-- MessageFinder.fromMessages
outbox_message m LEFT JOIN outbox_queue q ON q.seq = m.seq LEFT JOIN outbox_delivery d ON d.seq = m.seq;

-- MessageFinder.fromQueue
outbox_queue q CROSS JOIN LATERAL (SELECT * FROM outbox_message i WHERE i.seq = q.seq OFFSET 0) m;

-- MessageFinder.rowBelow
SELECT seq, created_at AS created_at FROM outbox_message WHERE seq < ?
ORDER BY seq DESC FETCH FIRST 1 ROWS ONLY;

-- MessageFinder.scanWindow
SELECT MIN(w.seq) AS lowest, COUNT(*) AS looked_at FROM (
  SELECT seq FROM outbox_message WHERE seq < ? AND seq > ? ORDER BY seq DESC FETCH FIRST ? ROWS ONLY) w;

-- MessageFinder.windowAfter
SELECT MAX(w.seq) AS highest, COUNT(*) AS looked_at FROM (
  SELECT seq FROM outbox_message WHERE seq > ? AND seq <= ? ORDER BY seq FETCH FIRST ? ROWS ONLY) w;

-- MessagePurge.lockAbandoned
SELECT seq FROM outbox_queue
WHERE queue_id < 0 AND last_attempt_at <= statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond' AND seq IN (?) FOR UPDATE SKIP LOCKED;

-- MessagePurge.lockSettled
SELECT seq FROM outbox_delivery
WHERE settled_at <= statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond' AND seq IN (?) FOR UPDATE SKIP LOCKED;

-- MessagePurge.purgeable
SELECT m.seq, CASE WHEN m.application = ? THEN COALESCE(
    (SELECT CASE WHEN d.settled_at <= statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond' THEN 1 ELSE 0 END FROM outbox_delivery d WHERE d.seq = m.seq),
    (SELECT CASE WHEN queue_id < 0 AND last_attempt_at <= statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond' THEN 2 ELSE 0 END
      FROM outbox_queue q WHERE q.seq = m.seq),
    0) ELSE 0 END AS is_over,
  CASE WHEN m.created_at > statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond' AND m.created_at <= statement_timestamp() THEN 1 ELSE 0 END AS young
FROM outbox_message m WHERE m.seq > ? ORDER BY m.seq FETCH FIRST ? ROWS ONLY;

-- MessagePurge.removeAbandoned
DELETE FROM outbox_queue WHERE queue_id < 0 AND seq IN (?);

-- MessageRemoval.archive
INSERT INTO outbox_archive (seq, message_id, application, event_type, schema_version, aggregate_type, aggregate_id, message_key, partition_id, destination, content_type, payload, payload_binary, payload_bytes, headers, correlation_id, causation_id, tenant_id, occurred_at, created_at, not_before, expires_at, priority, origin_message_id, transport, status, attempts, last_attempt_at, last_error, published_at, broker_message_id, shadow_destination, archived_at)
SELECT m.seq, m.message_id, m.application, m.event_type, m.schema_version, m.aggregate_type, m.aggregate_id, m.message_key, m.partition_id, m.destination, m.content_type, m.payload, m.payload_binary, m.payload_bytes, m.headers, m.correlation_id, m.causation_id, m.tenant_id, m.occurred_at, m.created_at, m.not_before, CASE WHEN q.requeued_at IS NULL THEN m.expires_at END, m.priority, m.origin_message_id, m.transport, CASE COALESCE(q.status, d.status) WHEN 0 THEN 'PENDING' WHEN 1 THEN 'FAILED' WHEN 3 THEN 'PUBLISHED' WHEN 2 THEN 'ABANDONED' WHEN 4 THEN 'EXPIRED' WHEN 5 THEN 'DISCARDED' END, COALESCE(q.attempts, d.attempts), COALESCE(q.last_attempt_at, d.settled_at), COALESCE(q.last_error, d.last_error), CASE WHEN d.status = 3 THEN d.settled_at END, d.broker_message_id, d.shadow_destination, statement_timestamp() FROM outbox_message m LEFT JOIN outbox_queue q ON q.seq = m.seq
  LEFT JOIN outbox_delivery d ON d.seq = m.seq WHERE m.seq IN (?);

-- MessageRemoval.deleteMessageEntries
DELETE FROM outbox_audit_message WHERE seq = ?;

-- MessageRemoval.erase
UPDATE outbox_message SET payload = NULL, payload_binary = NULL
WHERE payload_bytes > 0 AND seq IN (?);

-- MessageRemoval.messagesWithEntries
SELECT DISTINCT seq FROM outbox_audit_message WHERE seq IN (?);

-- MessageRemoval.removeMessages
DELETE FROM outbox_message
WHERE payload_bytes >= 0 AND seq IN (?);

-- NodeTable.all
SELECT node_id, module_name, host, server, process, version, partitions_held, started_at AS started_at,
  last_tick_at AS last_tick_at, statement_timestamp() AS read_at
FROM outbox_node WHERE application = ? ORDER BY last_tick_at DESC;

-- NodeTable.delete
DELETE FROM outbox_node WHERE node_id = ?;

-- NodeTable.heartbeat
UPDATE outbox_node SET last_tick_at = statement_timestamp(), partitions_held = ? WHERE node_id = ?;

-- NodeTable.insert
INSERT INTO outbox_node (node_id, application, module_name, host, server, process, version, partitions_held, started_at,
  last_tick_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, statement_timestamp(), statement_timestamp());

-- NodeTable.lockStale
SELECT node_id FROM outbox_node WHERE last_tick_at < statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond' FOR UPDATE SKIP LOCKED;

-- OperatorStore.bringHome
UPDATE outbox_queue SET queue_id = (SELECT m.partition_id FROM outbox_message m WHERE m.seq = outbox_queue.seq)
WHERE queue_id = ? AND EXISTS (SELECT 1 FROM outbox_message n WHERE n.seq = outbox_queue.seq);

-- OperatorStore.destinations
SELECT DISTINCT destination FROM outbox_message WHERE seq IN (?);

-- OperatorStore.locks.DISCARD
SELECT seq, queue_id, status FROM outbox_queue
WHERE status IN (0, 1, 2) AND seq IN (?) FOR UPDATE SKIP LOCKED;

-- OperatorStore.locks.REPLAY
SELECT seq, 0 AS queue_id, status FROM outbox_delivery d
WHERE status IN (3, 4, 5) AND seq IN (?) AND NOT EXISTS (
  SELECT 1 FROM outbox_message m WHERE m.seq = d.seq AND m.payload_bytes > 0 AND m.payload IS NULL AND m.payload_binary IS NULL) FOR UPDATE SKIP LOCKED;

-- OperatorStore.locks.REPLAY_AS_NEW
SELECT seq, 0 AS queue_id, status FROM outbox_delivery d
WHERE status IN (3, 4, 5) AND seq IN (?) AND NOT EXISTS (
  SELECT 1 FROM outbox_message m WHERE m.seq = d.seq AND m.payload_bytes > 0 AND m.payload IS NULL AND m.payload_binary IS NULL) FOR UPDATE SKIP LOCKED;

-- OperatorStore.locks.RETRY
SELECT seq, queue_id, status FROM outbox_queue
WHERE status IN (1, 2) AND seq IN (?) FOR UPDATE SKIP LOCKED;

-- OperatorStore.replay
INSERT INTO outbox_queue (seq, queue_id, requeued_at, last_attempt_at)
SELECT d.seq, (SELECT m.partition_id FROM outbox_message m WHERE m.seq = d.seq), statement_timestamp(), d.settled_at FROM outbox_delivery d WHERE d.seq IN (?);

-- OperatorStore.retry
UPDATE outbox_queue SET requeued_at = CASE WHEN status = 1
    AND (SELECT m.expires_at FROM outbox_message m WHERE m.seq = outbox_queue.seq) > statement_timestamp() THEN requeued_at ELSE statement_timestamp() END,
  attempts = 0, unfinished_sends = 0, available_at = NULL,
  queue_id = CASE WHEN EXISTS (SELECT 1 FROM outbox_blocked_key b WHERE b.id = outbox_queue.queue_id) THEN queue_id
    ELSE (SELECT m.partition_id FROM outbox_message m WHERE m.seq = outbox_queue.seq) END,
  status = 0 WHERE seq IN (?);

-- OperatorStore.sequence
SELECT seq FROM outbox_message WHERE message_id = ? AND application = ?;

-- PageReader.statement
SELECT r.* FROM (VALUES (CAST(? AS BIGINT), CAST(? AS BIGINT)) OFFSET 0) AS w (queue, start) CROSS JOIN LATERAL (SELECT q.seq, m.message_id, m.event_type, m.schema_version, m.aggregate_type, m.aggregate_id, m.message_key, m.destination, m.content_type, m.payload, m.payload_binary, m.payload_bytes, m.headers, m.correlation_id, m.causation_id, m.tenant_id, m.occurred_at, m.created_at, m.not_before, CASE WHEN q.requeued_at IS NULL THEN m.expires_at END AS expires_at, m.priority, m.origin_message_id, q.status, q.attempts, q.last_attempt_at, q.last_error, statement_timestamp() AS read_at, q.queue_id, q.unfinished_sends,
  CASE WHEN q.status = 0 OR q.status = 1 AND q.available_at IS NULL
    OR q.available_at <= statement_timestamp() THEN 1 ELSE 0 END AS due, CASE WHEN q.xmax = 0 THEN 0 ELSE 1 END AS perhaps_locked,
  CASE WHEN m.not_before IS NULL AND (SELECT 1 FROM outbox_blocked_key g WHERE g.partition_id = q.queue_id
    AND g.message_key = m.message_key FETCH FIRST 1 ROWS ONLY) IS NOT NULL THEN 1 ELSE 0 END AS key_blocked
FROM outbox_queue q LEFT JOIN outbox_message m ON m.seq = q.seq
WHERE (q.queue_id, q.seq) > (w.queue, w.start) AND q.queue_id <= w.queue ORDER BY q.queue_id, q.seq FETCH FIRST 100 ROWS ONLY) r;

-- PartitionClaim.find
WITH claimable AS (
  SELECT p.id, CASE WHEN p.id > ? THEN 0 ELSE 1 END AS section, CASE WHEN (SELECT g.due_at FROM outbox_blocked_key g
    WHERE g.partition_id = p.id AND g.due_at IS NOT NULL ORDER BY g.partition_id, g.due_at FETCH FIRST 1 ROWS ONLY) <= statement_timestamp() THEN 1 ELSE 0 END AS blocked_keys, q.seq AS first_seq
  FROM outbox_partition p LEFT JOIN LATERAL (SELECT q.seq FROM outbox_queue q
    WHERE (q.queue_id, q.seq) > (p.id, (SELECT CAST(? AS BIGINT[]))[p.partition_no]) AND q.queue_id <= p.id
    ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) q ON TRUE
  WHERE p.id BETWEEN ? AND ? AND (q.seq IS NOT NULL OR (SELECT g.due_at FROM outbox_blocked_key g
    WHERE g.partition_id = p.id AND g.due_at IS NOT NULL ORDER BY g.partition_id, g.due_at FETCH FIRST 1 ROWS ONLY) <= statement_timestamp()) AND NOT EXISTS (SELECT 1 FROM outbox_control c WHERE c.application = p.application
    AND c.destination IN (p.destination, '*') AND (c.paused = 1 OR c.backfill_partition <> p.id)) AND (p.leased_until IS NULL OR p.leased_until <= statement_timestamp())),
locked AS (
  SELECT p.id FROM claimable c JOIN outbox_partition p ON p.id = c.id WHERE (p.leased_until IS NULL OR p.leased_until <= statement_timestamp())
  ORDER BY c.section, c.id LIMIT ? FOR UPDATE OF p SKIP LOCKED)
SELECT c.*, COALESCE(l.id, 0) AS locked
FROM claimable c LEFT JOIN locked l ON l.id = c.id
UNION ALL SELECT p.id, 2 AS section, 0 AS blocked_keys, 0 AS first_seq, 0 AS locked
FROM outbox_partition p WHERE p.id = ? AND NOT EXISTS (SELECT 1 FROM outbox_control c WHERE c.application = p.application
    AND c.destination IN (p.destination, '*') AND (c.paused = 1 OR c.backfill_partition <> p.id))
  AND (SELECT seq FROM outbox_queue WHERE queue_id = ? AND available_at <= statement_timestamp()
    ORDER BY queue_id, available_at FETCH FIRST 1 ROWS ONLY) IS NOT NULL
ORDER BY section, id;

-- PartitionClaim.lock
SELECT p.id FROM outbox_partition p WHERE p.id = ? AND (p.leased_until IS NULL OR p.leased_until <= statement_timestamp()) FOR UPDATE SKIP LOCKED;

-- PartitionClaim.planByIndex
SELECT set_config('enable_seqscan', 'off', TRUE), set_config('enable_bitmapscan', 'off', TRUE), set_config('enable_sort', 'off', TRUE), set_config('enable_hashjoin', 'off', TRUE), set_config('enable_mergejoin', 'off', TRUE), set_config('jit', 'off', TRUE);

-- PartitionFollowers.find
SELECT s.seq, g.id FROM (
  SELECT q.seq, q.queue_id, m.message_key, m.not_before
  FROM outbox_queue q LEFT JOIN outbox_message m ON m.seq = q.seq
  WHERE q.queue_id = ? AND q.seq > ? ORDER BY q.queue_id, q.seq FETCH FIRST 1000 ROWS ONLY) s
JOIN outbox_blocked_key g ON g.partition_id = s.queue_id AND g.message_key = s.message_key
WHERE s.not_before IS NULL ORDER BY s.seq;

-- PartitionFollowers.lock
SELECT seq FROM outbox_queue
WHERE COALESCE(queue_id, 0) = ? AND seq IN (?) FOR UPDATE SKIP LOCKED;

-- PartitionFollowers.move
UPDATE outbox_queue SET queue_id = ?
WHERE COALESCE(queue_id, 0) = ? AND seq IN (?);

-- PartitionSetup.counts
SELECT DISTINCT destination, partition_count FROM outbox_partition WHERE application = ?;

-- PartitionSetup.insertPartition
INSERT INTO outbox_partition (id, application, destination, partition_no, partition_count, fencing_token)
VALUES (?, ?, ?, ?, ?, ?);

-- PartitionSetup.otherApplications
SELECT DISTINCT p.application FROM outbox_partition p
WHERE p.application <> ? AND ((SELECT 1 FROM outbox_queue q WHERE q.queue_id = p.id FETCH FIRST 1 ROWS ONLY) IS NOT NULL
  OR (SELECT g.id FROM outbox_blocked_key g WHERE g.partition_id = p.id ORDER BY g.partition_id, g.due_at FETCH FIRST 1 ROWS ONLY) IS NOT NULL)
ORDER BY p.application FETCH FIRST 10 ROWS ONLY;

-- PartitionSetup.rows
SELECT id, application, destination, partition_count FROM outbox_partition WHERE id BETWEEN ? AND ?;

-- PartitionSetup.waiting
SELECT q.seq FROM outbox_queue q LEFT JOIN outbox_message m ON m.seq = q.seq
WHERE m.application = ? AND m.destination = ? FETCH FIRST 1 ROWS ONLY;

-- PostgresqlCommitWatermark.observe
SELECT CASE WHEN has_sequence_privilege(o.sequence, 'SELECT')
    THEN COALESCE(pg_sequence_last_value(o.sequence), 0) END AS sequence,
  CAST(EXTRACT(EPOCH FROM pg_postmaster_start_time()) * 1000000 AS BIGINT) AS server,
  CAST(pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') AS BIGINT) AS written,
  CAST(pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0') AS BIGINT) AS flushed,
  (SELECT string_agg(w.ids, ',') FROM (
    SELECT concat_ws(',', l.virtualtransaction, string_agg(CAST(l.transactionid AS TEXT), ',')) AS ids
    FROM pg_locks l WHERE l.granted
      AND (l.locktype = 'transactionid' AND l.mode = 'ExclusiveLock'
        OR l.locktype = 'relation' AND l.mode = 'RowExclusiveLock' AND l.relation IN (o.sequence, o.message)
          AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database()))
    GROUP BY l.virtualtransaction HAVING COUNT(DISTINCT l.relation) = 2) w) AS writers
FROM (SELECT CAST(pg_get_serial_sequence('outbox_message', 'seq') AS REGCLASS) AS sequence,
  CAST('outbox_message' AS REGCLASS) AS message) o;

-- PostgresqlInsert.withDeliveries
WITH inserted AS (INSERT INTO outbox_message (message_id, application, event_type, schema_version, aggregate_type, aggregate_id, message_key, partition_id, destination, content_type, payload, payload_binary, payload_bytes, headers, correlation_id, causation_id, tenant_id, occurred_at, created_at, not_before, expires_at, priority, origin_message_id, transport) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TIMESTAMPTZ), statement_timestamp(), CAST(? AS TIMESTAMPTZ), COALESCE(CAST(? AS TIMESTAMPTZ), statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond'), ?, ?, ?) RETURNING seq)
INSERT INTO outbox_delivery (seq, status, settled_at, attempts)
SELECT m.seq, 3, statement_timestamp(), 0 FROM inserted m;

-- PostgresqlInsert.withQueueRows
WITH inserted AS (INSERT INTO outbox_message (message_id, application, event_type, schema_version, aggregate_type, aggregate_id, message_key, partition_id, destination, content_type, payload, payload_binary, payload_bytes, headers, correlation_id, causation_id, tenant_id, occurred_at, created_at, not_before, expires_at, priority, origin_message_id, transport) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS TIMESTAMPTZ), statement_timestamp(), CAST(? AS TIMESTAMPTZ), COALESCE(CAST(? AS TIMESTAMPTZ), statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond'), ?, ?, ?) RETURNING seq, message_id)
INSERT INTO outbox_queue (seq, queue_id, available_at)
SELECT m.seq, q.queue_id, q.available_at
FROM inserted m JOIN (VALUES (?, CAST(? AS BIGINT), CAST(? AS TIMESTAMPTZ))) q (message_id, queue_id, available_at) ON q.message_id = m.message_id;

-- PostgresqlReadWatermark.firstAbove
SELECT p.id, COALESCE(f.watermark, 0) AS watermark,
  (SELECT q.seq FROM outbox_queue q WHERE (q.queue_id, q.seq) > (p.id, COALESCE(f.watermark, 0)) AND q.queue_id <= p.id
    ORDER BY q.queue_id, q.seq LIMIT 1) AS first
FROM outbox_partition p
LEFT JOIN unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS f(queue_id, watermark) ON f.queue_id = p.id
WHERE p.application = ? AND p.partition_no < 4094;

-- PostgresqlReadWatermark.firstBelow
SELECT b.queue_id, b.seq
FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS f(queue_id, watermark)
CROSS JOIN LATERAL (SELECT q.queue_id, q.seq FROM outbox_queue q
  WHERE (q.queue_id, q.seq) <= (f.queue_id, f.watermark) AND q.queue_id >= f.queue_id
  ORDER BY q.queue_id, q.seq LIMIT 1) b;

-- PostgresqlSettlement.move
WITH settled AS (
  DELETE FROM outbox_queue WHERE COALESCE(queue_id, 0) > 0 AND seq IN (?) RETURNING seq, attempts, last_error)
INSERT INTO outbox_delivery (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
SELECT seq, 3, statement_timestamp(), attempts + 1, NULL, NULL, CAST(? AS VARCHAR(64)) FROM settled;

-- PostgresqlSettlement.planByIndex
SELECT set_config('enable_seqscan', 'off', TRUE), set_config('enable_bitmapscan', 'off', TRUE), set_config('enable_sort', 'off', TRUE), set_config('enable_hashjoin', 'off', TRUE), set_config('enable_mergejoin', 'off', TRUE), set_config('jit', 'off', TRUE);

-- RetryWriter.lockPending
SELECT queue_id, attempts, (SELECT m.destination FROM outbox_message m WHERE m.seq = q.seq) AS destination,
  (SELECT m.partition_id FROM outbox_message m WHERE m.seq = q.seq) AS home,
  (SELECT CASE WHEN m.not_before IS NULL THEN m.message_key END FROM outbox_message m
    WHERE m.seq = q.seq) AS ordering_key
FROM outbox_queue q WHERE COALESCE(queue_id, 0) > 0 AND q.seq = ? FOR UPDATE;

-- RetryWriter.lockRetried
SELECT seq FROM outbox_queue
WHERE COALESCE(queue_id, 0) > 0 AND seq = ? AND attempts < ? FOR UPDATE;

-- RetryWriter.planByIndex
SELECT set_config('enable_seqscan', 'off', TRUE), set_config('enable_bitmapscan', 'off', TRUE), set_config('enable_sort', 'off', TRUE), set_config('enable_hashjoin', 'off', TRUE), set_config('enable_mergejoin', 'off', TRUE), set_config('jit', 'off', TRUE);

-- RetryWriter.scheduleRetry
UPDATE outbox_queue SET status = ?, attempts = ?, last_attempt_at = statement_timestamp(), last_error = ?,
  available_at = statement_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond', queue_id = ? WHERE COALESCE(queue_id, 0) > 0 AND seq = ?;

-- Statements.blockedKeys
SELECT COUNT(*) FROM (SELECT b.id FROM outbox_blocked_key b FETCH FIRST 1000 ROWS ONLY) k;

-- Statements.counts
WITH watermarks AS (SELECT * FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS f(queue_id, watermark)),
queues AS (SELECT p.id, p.partition_no, p.destination, COALESCE(f.watermark, 0) AS watermark FROM outbox_partition p
  LEFT JOIN watermarks f ON f.queue_id = p.id WHERE p.application = ?)
SELECT destination, status, COUNT(*) FROM (
  (SELECT p.destination, m.status FROM queues p
    CROSS JOIN LATERAL (SELECT i.id FROM outbox_blocked_key i WHERE i.partition_id = p.id
      ORDER BY i.partition_id, i.due_at FETCH FIRST 20000 ROWS ONLY) g
    CROSS JOIN LATERAL (SELECT q.status FROM outbox_queue q WHERE q.queue_id >= g.id AND q.queue_id <= g.id
      ORDER BY q.queue_id, q.seq FETCH FIRST 20000 ROWS ONLY) m FETCH FIRST 20000 ROWS ONLY)
  UNION ALL
  (SELECT p.destination, m.status FROM (SELECT * FROM queues ORDER BY partition_no) p
    CROSS JOIN LATERAL (SELECT q.status FROM outbox_queue q
      WHERE (q.queue_id, q.seq) > (p.id, p.watermark) AND q.queue_id <= p.id
      ORDER BY q.queue_id, q.seq FETCH FIRST 10000 ROWS ONLY) m FETCH FIRST 10000 ROWS ONLY)
  UNION ALL
  (SELECT p.destination, m.status FROM queues p
    CROSS JOIN LATERAL (SELECT q.status FROM outbox_queue q WHERE q.queue_id >= -p.id AND q.queue_id <= -p.id
      ORDER BY q.queue_id, q.seq FETCH FIRST 10000 ROWS ONLY) m FETCH FIRST 10000 ROWS ONLY)
) s GROUP BY destination, status
UNION ALL SELECT destination, -1, 1 FROM outbox_control WHERE application = ?
  AND (paused = 1 OR backfill_partition IS NOT NULL);

-- Statements.countsOfOne
WITH watermarks AS (SELECT * FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS f(queue_id, watermark)),
queues AS (SELECT p.id, p.partition_no, p.destination, COALESCE(f.watermark, 0) AS watermark FROM outbox_partition p
  LEFT JOIN watermarks f ON f.queue_id = p.id WHERE p.application = ? AND p.destination = ?)
SELECT destination, status, COUNT(*) FROM (
  (SELECT p.destination, m.status FROM queues p
    CROSS JOIN LATERAL (SELECT i.id FROM outbox_blocked_key i WHERE i.partition_id = p.id
      ORDER BY i.partition_id, i.due_at FETCH FIRST 20000 ROWS ONLY) g
    CROSS JOIN LATERAL (SELECT q.status FROM outbox_queue q WHERE q.queue_id >= g.id AND q.queue_id <= g.id
      ORDER BY q.queue_id, q.seq FETCH FIRST 20000 ROWS ONLY) m FETCH FIRST 20000 ROWS ONLY)
  UNION ALL
  (SELECT p.destination, m.status FROM (SELECT * FROM queues ORDER BY partition_no) p
    CROSS JOIN LATERAL (SELECT q.status FROM outbox_queue q
      WHERE (q.queue_id, q.seq) > (p.id, p.watermark) AND q.queue_id <= p.id
      ORDER BY q.queue_id, q.seq FETCH FIRST 10000 ROWS ONLY) m FETCH FIRST 10000 ROWS ONLY)
  UNION ALL
  (SELECT p.destination, m.status FROM queues p
    CROSS JOIN LATERAL (SELECT q.status FROM outbox_queue q WHERE q.queue_id >= -p.id AND q.queue_id <= -p.id
      ORDER BY q.queue_id, q.seq FETCH FIRST 10000 ROWS ONLY) m FETCH FIRST 10000 ROWS ONLY)
) s GROUP BY destination, status
UNION ALL SELECT destination, -1, 1 FROM outbox_control WHERE application = ?
  AND (paused = 1 OR backfill_partition IS NOT NULL);

-- Statements.oldest
WITH watermarks AS (SELECT * FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS f(queue_id, watermark)),
queues AS (SELECT p.id, p.partition_no, p.destination, COALESCE(f.watermark, 0) AS watermark FROM outbox_partition p
  LEFT JOIN watermarks f ON f.queue_id = p.id WHERE p.application = ?)
SELECT s.destination, MIN(s.since) AS oldest, MIN(statement_timestamp()) AS read_at FROM (
  SELECT f.destination, (
    SELECT CASE WHEN q.requeued_at IS NOT NULL THEN q.requeued_at
      WHEN m.not_before > m.created_at THEN m.not_before ELSE m.created_at END
    FROM outbox_queue q JOIN outbox_message m ON m.seq = q.seq
    WHERE q.seq = f.seq) AS since
  FROM (
    SELECT w.destination, (SELECT q.seq FROM outbox_queue q
      WHERE (q.queue_id, q.seq) > (w.id, w.watermark) AND q.queue_id <= w.id AND q.status <> 2
      ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) AS seq FROM (SELECT id, destination, watermark FROM queues WHERE partition_no < 4094
UNION ALL SELECT g.id, o.destination, 0 FROM (
  SELECT e.id, e.partition_id FROM (
    SELECT c.id, c.partition_id FROM (SELECT i.id, i.partition_id FROM outbox_blocked_key i
        ORDER BY i.id FETCH FIRST 10000 ROWS ONLY) c
      WHERE c.partition_id IN (SELECT s.id FROM outbox_partition s WHERE s.application = ?)
    UNION
    SELECT b.id, b.partition_id FROM (SELECT j.id, j.partition_id FROM outbox_partition r
      CROSS JOIN LATERAL (SELECT i.id, i.partition_id FROM outbox_blocked_key i WHERE i.partition_id = r.id
    ORDER BY i.partition_id, i.due_at FETCH FIRST 10000 ROWS ONLY) j WHERE r.application = ? FETCH FIRST 10000 ROWS ONLY) b) e
  WHERE (SELECT q.seq FROM outbox_queue q WHERE q.queue_id >= e.id AND q.queue_id <= e.id AND q.status <> 2
    ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) IS NOT NULL
  ORDER BY e.id FETCH FIRST 1000 ROWS ONLY) g
  JOIN outbox_partition o ON o.id = g.partition_id) w
    UNION ALL SELECT p.destination, (SELECT CASE WHEN q.available_at <= statement_timestamp() THEN q.seq END
      FROM outbox_queue q WHERE q.queue_id = p.id AND q.available_at IS NOT NULL
      ORDER BY q.queue_id, q.available_at FETCH FIRST 1 ROWS ONLY) AS seq
    FROM outbox_partition p WHERE p.application = ? AND p.partition_no = 4094) f) s
GROUP BY s.destination;

-- Statements.oldestOfOne
WITH watermarks AS (SELECT * FROM unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS f(queue_id, watermark)),
queues AS (SELECT p.id, p.partition_no, p.destination, COALESCE(f.watermark, 0) AS watermark FROM outbox_partition p
  LEFT JOIN watermarks f ON f.queue_id = p.id WHERE p.application = ? AND p.destination = ?)
SELECT s.destination, MIN(s.since) AS oldest, MIN(statement_timestamp()) AS read_at FROM (
  SELECT f.destination, (
    SELECT CASE WHEN q.requeued_at IS NOT NULL THEN q.requeued_at
      WHEN m.not_before > m.created_at THEN m.not_before ELSE m.created_at END
    FROM outbox_queue q JOIN outbox_message m ON m.seq = q.seq
    WHERE q.seq = f.seq) AS since
  FROM (
    SELECT w.destination, (SELECT q.seq FROM outbox_queue q
      WHERE (q.queue_id, q.seq) > (w.id, w.watermark) AND q.queue_id <= w.id AND q.status <> 2
      ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) AS seq FROM (SELECT id, destination, watermark FROM queues WHERE partition_no < 4094
UNION ALL SELECT g.id, o.destination, 0 FROM (
  SELECT e.id, e.partition_id FROM (
    SELECT j.id, j.partition_id FROM outbox_partition r
      CROSS JOIN LATERAL (SELECT i.id, i.partition_id FROM outbox_blocked_key i WHERE i.partition_id = r.id
    ORDER BY i.partition_id, i.due_at FETCH FIRST 10000 ROWS ONLY) j WHERE r.application = ? AND r.destination = ? FETCH FIRST 10000 ROWS ONLY) e
  WHERE (SELECT q.seq FROM outbox_queue q WHERE q.queue_id >= e.id AND q.queue_id <= e.id AND q.status <> 2
    ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) IS NOT NULL
  ORDER BY e.id FETCH FIRST 1000 ROWS ONLY) g
  JOIN outbox_partition o ON o.id = g.partition_id) w
    UNION ALL SELECT p.destination, (SELECT CASE WHEN q.available_at <= statement_timestamp() THEN q.seq END
      FROM outbox_queue q WHERE q.queue_id = p.id AND q.available_at IS NOT NULL
      ORDER BY q.queue_id, q.available_at FETCH FIRST 1 ROWS ONLY) AS seq
    FROM outbox_partition p WHERE p.application = ? AND p.destination = ? AND p.partition_no = 4094) f) s
GROUP BY s.destination;

-- TableCheck.check
SELECT 'partition' AS kind, p.destination AS destination, p.partition_count AS detail, p.id AS id FROM outbox_partition p
  WHERE p.application = ?
UNION ALL SELECT 'control', c.destination, c.paused, 0 FROM outbox_control c WHERE c.application = ?
UNION ALL SELECT 'lost', u.destination, 0, COUNT(*) FROM (SELECT u.destination, u.seq FROM (SELECT COALESCE(LAG(i.id) OVER (ORDER BY i.id), ?) AS first_id, i.id AS next_id
FROM (SELECT b.id FROM outbox_blocked_key b ORDER BY b.id FETCH FIRST 1000 ROWS ONLY) i
UNION ALL SELECT COALESCE(MAX(h.id), ?), COALESCE(MAX(h.id), ?) + ? FROM outbox_blocked_key h) g CROSS JOIN LATERAL (
  SELECT m.destination, q.seq FROM outbox_queue q CROSS JOIN LATERAL (
    SELECT i.destination, i.application FROM outbox_message i WHERE i.seq = q.seq OFFSET 0) m
  WHERE q.queue_id > g.first_id AND q.queue_id < g.next_id AND m.application = ?
  ORDER BY q.queue_id, q.seq FETCH FIRST 10000 ROWS ONLY) u
WHERE g.next_id > g.first_id + 1 FETCH FIRST 10000 ROWS ONLY) u GROUP BY u.destination
UNION ALL SELECT '', '', 0, 0 FROM (SELECT version, readable_from, applied_at FROM outbox_schema WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT id, application, destination, partition_no, partition_count, owner, leased_until, fencing_token FROM outbox_partition WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, message_id, application, event_type, schema_version, aggregate_type, aggregate_id, message_key, partition_id, destination, content_type, payload, payload_binary, payload_bytes, headers, correlation_id, causation_id, tenant_id, occurred_at, created_at, not_before, expires_at, priority, origin_message_id, transport FROM outbox_message WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, queue_id, status, attempts, unfinished_sends, available_at, requeued_at, last_attempt_at, last_error FROM outbox_queue WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination FROM outbox_delivery WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT id, partition_id, message_key, due_at FROM outbox_blocked_key WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT id FROM outbox_key_lock WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, message_id, application, event_type, schema_version, aggregate_type, aggregate_id, message_key, destination, content_type, payload, payload_binary, correlation_id, causation_id, tenant_id, occurred_at, created_at, not_before, expires_at, priority, available_at, status, attempts, last_attempt_at, last_error, published_at, broker_message_id, shadow_destination FROM outbox_message_view WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT application, destination, paused, changed_by, changed_at, backfill_partition, backfill_source, backfill_types, backfill_from, backfill_position, backfill_end, backfill_copied, backfill_present, backfill_skipped, backfill_started_at, backfill_ended_at FROM outbox_control WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT id, application, done_by, done_as, action, subject, changed, done_at FROM outbox_audit WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, audit_id FROM outbox_audit_message WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, message_id, application, event_type, schema_version, aggregate_type, aggregate_id, message_key, partition_id, destination, content_type, payload, payload_binary, payload_bytes, headers, correlation_id, causation_id, tenant_id, occurred_at, created_at, not_before, expires_at, priority, origin_message_id, transport, status, attempts, last_attempt_at, last_error, published_at, broker_message_id, shadow_destination, archived_at FROM outbox_archive WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT application, consumer, message_id, received_at FROM outbox_inbox WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT application, consumer, message_key, last_sequence, last_stored_at, received_at FROM outbox_inbox_key WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT node_id, application, module_name, host, server, process, version, started_at, last_tick_at, partitions_held FROM outbox_node WHERE 1 = 0) t UNION ALL SELECT 'readonly', '', 0, 0 FROM (SELECT 1 AS one) r WHERE current_setting('transaction_read_only') = 'on';

-- TextRoundTrip.read
SELECT host, OCTET_LENGTH(host) FROM outbox_node WHERE node_id = ?;

-- TextRoundTrip.write
INSERT INTO outbox_node (node_id, application, module_name, host, server, process, version, started_at, last_tick_at)
VALUES (?, ?, 'check', ?, 'check', 0, 'check', statement_timestamp(), statement_timestamp());

-- UniqueInsert.insert
INSERT INTO outbox_inbox_key (application, consumer, message_key, last_sequence, last_stored_at, received_at)
VALUES (?, ?, COALESCE((SELECT purged FROM (SELECT MAX(message_key) AS purged FROM outbox_inbox_key
  WHERE application = ? AND consumer = ? AND message_key = ? AND last_sequence > ?) s), ?),
  ?, CAST(? AS TIMESTAMPTZ), statement_timestamp()) ON CONFLICT DO NOTHING;

-- WaitingDestinations.find
SELECT DISTINCT p.destination FROM outbox_partition p LEFT JOIN unnest(CAST(? AS BIGINT[]), CAST(? AS BIGINT[])) AS f(queue_id, watermark)
  ON f.queue_id = p.id
WHERE p.application = ? AND (p.partition_no < ? AND ((SELECT q.seq FROM outbox_queue q
    WHERE (q.queue_id, q.seq) > (p.id, COALESCE(f.watermark, 0)) AND q.queue_id <= p.id
    ORDER BY q.queue_id, q.seq FETCH FIRST 1 ROWS ONLY) IS NOT NULL OR (SELECT g.due_at FROM outbox_blocked_key g
    WHERE g.partition_id = p.id AND g.due_at IS NOT NULL ORDER BY g.partition_id, g.due_at FETCH FIRST 1 ROWS ONLY) <= statement_timestamp())
  OR p.partition_no = 4094 AND (SELECT q.available_at FROM outbox_queue q
    WHERE q.queue_id = p.id AND q.available_at IS NOT NULL
    ORDER BY q.queue_id, q.available_at FETCH FIRST 1 ROWS ONLY) <= statement_timestamp());

-- WaitingDestinations.planScansByIndex
SELECT set_config('enable_seqscan', 'off', TRUE), set_config('enable_bitmapscan', 'off', TRUE), set_config('enable_sort', 'off', TRUE), set_config('jit', 'off', TRUE);
