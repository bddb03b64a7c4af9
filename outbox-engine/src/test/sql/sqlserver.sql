-- AcceptedMessages.find
SELECT seq FROM outbox_message WHERE message_id = ?;

-- AcceptedMessages.setAside
UPDATE outbox_queue SET status = 2, queue_id = -queue_id, last_attempt_at = SYSUTCDATETIME(), last_error = ?
WHERE seq = ?;

-- AuditTable.insert
INSERT INTO outbox_audit (application, done_by, done_as, action, subject, changed, done_at)
VALUES (?, ?, ?, ?, ?, ?, SYSUTCDATETIME());

-- AuditTable.insertMessage
INSERT INTO outbox_audit_message (seq, audit_id) VALUES (?, ?);

-- AuditTable.last
SELECT id, done_by, done_as, action, subject, changed, CONVERT(VARCHAR(26), CAST(done_at AS DATETIME2(6)), 121) AS done_at FROM outbox_audit WHERE application = ? AND id < ?
ORDER BY id DESC OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY;

-- AuditTable.lastOfMessage
SELECT id, done_by, done_as, action, subject, changed, CONVERT(VARCHAR(26), CAST(done_at AS DATETIME2(6)), 121) AS done_at FROM outbox_audit_message m JOIN outbox_audit a ON a.id = m.audit_id
WHERE m.seq = (SELECT o.seq FROM outbox_message o WHERE o.application = ? AND o.message_id = ?)
ORDER BY a.id DESC OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY;

-- BackfillTable.advance
UPDATE outbox_control SET backfill_position = ?, backfill_copied = backfill_copied + ?,
  backfill_present = backfill_present + ?, backfill_skipped = backfill_skipped + ? WHERE application = ? AND destination = ?;

-- BackfillTable.all
SELECT destination, backfill_source, backfill_types, CONVERT(VARCHAR(26), CAST(backfill_from AS DATETIME2(6)), 121) AS backfill_from, backfill_position, backfill_end,
  backfill_copied, backfill_present, backfill_skipped, CONVERT(VARCHAR(26), CAST(backfill_started_at AS DATETIME2(6)), 121) AS backfill_started_at,
  CONVERT(VARCHAR(26), CAST(backfill_ended_at AS DATETIME2(6)), 121) AS backfill_ended_at, paused FROM outbox_control WHERE application = ? AND backfill_started_at IS NOT NULL
ORDER BY destination;

-- BackfillTable.begin
UPDATE outbox_control SET backfill_position = ?, backfill_end = ? WHERE application = ? AND destination = ?;

-- BackfillTable.cancel
UPDATE outbox_control SET backfill_end = backfill_position WHERE application = ? AND destination = ? AND backfill_partition IS NOT NULL
  AND (backfill_end IS NULL OR backfill_end > backfill_position);

-- BackfillTable.endIfSent
UPDATE outbox_control SET backfill_ended_at = SYSUTCDATETIME(), backfill_partition = NULL WHERE application = ? AND destination = ?
  AND (SELECT q.seq FROM outbox_queue q WHERE q.queue_id = outbox_control.backfill_partition ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) IS NULL
  AND (SELECT q.seq FROM outbox_blocked_key g JOIN outbox_queue q ON q.queue_id = g.id
    WHERE g.partition_id = outbox_control.backfill_partition ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) IS NULL;

-- BackfillTable.highest
SELECT MAX(seq) FROM outbox_message;

-- BackfillTable.lock
SELECT destination, backfill_source, backfill_types, CONVERT(VARCHAR(26), CAST(backfill_from AS DATETIME2(6)), 121) AS backfill_from, backfill_position, backfill_end,
  backfill_copied, backfill_present, backfill_skipped, CONVERT(VARCHAR(26), CAST(backfill_started_at AS DATETIME2(6)), 121) AS backfill_started_at,
  CONVERT(VARCHAR(26), CAST(backfill_ended_at AS DATETIME2(6)), 121) AS backfill_ended_at, paused FROM outbox_control WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE application = ? AND destination = ? AND backfill_partition IS NOT NULL AND paused = 0;

-- BackfillTable.lockPartitions
SELECT id FROM outbox_partition WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE (leased_until IS NULL OR leased_until <= SYSUTCDATETIME()) AND id IN (?);

-- BackfillTable.lockWaiting
SELECT q.seq FROM outbox_queue q WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE q.status = 0 AND q.available_at IS NULL AND q.requeued_at IS NULL AND q.queue_id <> ?
  AND q.queue_id = (SELECT m.partition_id FROM outbox_message m WHERE m.seq = q.seq)
  AND NOT EXISTS (SELECT 1 FROM outbox_audit_message a WHERE a.seq = q.seq) AND q.seq IN (?);

-- BackfillTable.present
SELECT message_id, seq FROM outbox_message WHERE message_id IN (?);

-- BackfillTable.read
SELECT destination, backfill_source, backfill_types, CONVERT(VARCHAR(26), CAST(backfill_from AS DATETIME2(6)), 121) AS backfill_from, backfill_position, backfill_end,
  backfill_copied, backfill_present, backfill_skipped, CONVERT(VARCHAR(26), CAST(backfill_started_at AS DATETIME2(6)), 121) AS backfill_started_at,
  CONVERT(VARCHAR(26), CAST(backfill_ended_at AS DATETIME2(6)), 121) AS backfill_ended_at, paused FROM outbox_control WHERE application = ? AND destination = ?;

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
  backfill_from = CAST(? AS DATETIME2(6)), backfill_position = 0, backfill_end = NULL, backfill_copied = 0, backfill_present = 0,
  backfill_skipped = 0, backfill_started_at = SYSUTCDATETIME(), backfill_ended_at = NULL WHERE application = ? AND destination = ? AND backfill_partition IS NULL;

-- BacklogReader.highestShadowed
SELECT d.seq FROM outbox_delivery d JOIN outbox_message m ON m.seq = d.seq
WHERE m.application = ? AND m.destination = ? AND d.shadow_destination IS NOT NULL
ORDER BY d.seq DESC OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- BlockedKeyFinder.find
SELECT w.queue_id, w.messages, w.looked_at, m.message_key, m.destination, m.message_id, m.event_type, q.status, q.attempts,
  q.last_error, CONVERT(VARCHAR(26), CAST(q.available_at AS DATETIME2(6)), 121) AS available_at
FROM (SELECT c.queue_id, c.first_seq, c.messages, c.looked_at FROM (
    SELECT r.queue_id, MIN(r.seq) AS first_seq, COUNT(*) AS messages, SUM(COUNT(*)) OVER () AS looked_at FROM (
      SELECT i.queue_id, i.seq FROM outbox_queue i WHERE i.queue_id > ?
      ORDER BY i.queue_id, i.seq OFFSET 0 ROWS FETCH NEXT 100000 ROWS ONLY) r GROUP BY r.queue_id) c
  WHERE EXISTS (SELECT 1 FROM outbox_blocked_key b JOIN outbox_partition p ON p.id = b.partition_id
    WHERE b.id = c.queue_id AND p.application = ?)
  ORDER BY c.messages DESC, c.queue_id OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY) w
JOIN outbox_queue q ON q.seq = w.first_seq
JOIN outbox_message m ON m.seq = w.first_seq
WHERE q.status <> 0 ORDER BY w.messages DESC, w.queue_id;

-- BlockedKeyMaintenance.correctDueTime
UPDATE outbox_blocked_key SET due_at = (
  SELECT CASE WHEN q.status = 2 THEN NULL ELSE COALESCE(q.available_at, SYSUTCDATETIME()) END
  FROM outbox_queue q WHERE q.queue_id = outbox_blocked_key.id ORDER BY q.queue_id, q.seq OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY)
WHERE id = ? AND EXISTS (SELECT 1 FROM outbox_queue n WHERE n.queue_id = outbox_blocked_key.id);

-- BlockedKeyMaintenance.deleteEmpty
DELETE FROM outbox_blocked_key WHERE id = ?
  AND NOT EXISTS (SELECT 1 FROM outbox_queue q WHERE q.queue_id = outbox_blocked_key.id);

-- BlockedKeyMaintenance.findEmpty
SELECT g.id FROM outbox_blocked_key g WHERE g.id IN (?)
  AND NOT EXISTS (SELECT 1 FROM outbox_queue q WHERE q.queue_id = g.id);

-- BlockedKeyMaintenance.lock
SELECT id FROM outbox_blocked_key WITH (UPDLOCK, ROWLOCK, READPAST) WHERE id IN (?);

-- BlockedKeyTable.find
SELECT id FROM outbox_blocked_key WHERE partition_id = ? AND message_key = ?;

-- BlockedKeyTable.insert
INSERT INTO outbox_blocked_key (due_at, id, partition_id, message_key)
SELECT COALESCE((SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d), NULL), ?, ?, ?;

-- BlockedKeyTable.setDue
UPDATE outbox_blocked_key SET due_at = COALESCE((SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d), NULL) WHERE id = ?;

-- ControlTable.insert
INSERT INTO outbox_control (application, destination, paused) VALUES (?, ?, ?);

-- ControlTable.isPaused
SELECT paused FROM outbox_control WHERE application = ? AND destination = ?;

-- ControlTable.pause
UPDATE outbox_control SET paused = ?, changed_by = ?, changed_at = SYSUTCDATETIME()
WHERE application = ? AND destination = ? AND paused = ?;

-- CrashHistory.crashedSinceDelivery
SELECT c.seq FROM (
    SELECT q.seq, q.last_attempt_at FROM outbox_partition p
    JOIN outbox_queue q ON q.queue_id = -p.id
    WHERE p.application = ? AND p.destination = ? AND q.last_error LIKE 'OBX-0416%'
    ORDER BY q.last_attempt_at DESC OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) c
WHERE NOT EXISTS (
  SELECT 1 FROM (SELECT s.seq, s.status, s.settled_at FROM outbox_delivery s
    ORDER BY s.seq DESC OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) n
  WHERE CASE WHEN n.status = 3 AND n.settled_at > c.last_attempt_at THEN
    (SELECT m.seq FROM outbox_message m WHERE m.seq = n.seq
      AND m.application = ? AND m.destination = ?) END IS NOT NULL);

-- CrashHistory.stoppedBy
SELECT s.seq FROM (
    SELECT (SELECT CASE WHEN q.status = 1 AND q.last_error LIKE 'OBX-0451%' THEN q.seq END FROM outbox_queue q
      WHERE q.queue_id = g.id AND q.status <> 2
      ORDER BY q.queue_id, q.seq OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) AS seq
    FROM (SELECT b.id FROM outbox_partition p JOIN outbox_blocked_key b ON b.partition_id = p.id + 0
      WHERE p.application = ? AND p.destination = ? ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) g
  UNION ALL
    SELECT d.seq FROM (SELECT CASE WHEN q.status = 1 AND q.last_error LIKE 'OBX-0451%' THEN q.seq END AS seq FROM outbox_partition p
      JOIN outbox_queue q ON q.queue_id = p.id AND q.available_at IS NOT NULL
      WHERE p.application = ? AND p.destination = ? AND p.partition_no = 4094
      ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) d) s
WHERE s.seq IS NOT NULL ORDER BY s.seq OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- DelayedMessages.due
SELECT seq FROM outbox_queue WHERE queue_id = ? AND available_at <= SYSUTCDATETIME()
ORDER BY queue_id, available_at OFFSET 0 ROWS FETCH NEXT 1000 ROWS ONLY;

-- DelayedMessages.lock
SELECT seq, (SELECT m.partition_id FROM outbox_message m WHERE m.seq = q.seq) AS home
FROM outbox_queue q WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE available_at <= SYSUTCDATETIME() AND COALESCE(queue_id, 0) = ? AND seq IN (?);

-- DelayedMessages.move
UPDATE outbox_queue SET available_at = NULL,
  queue_id = (SELECT m.partition_id FROM outbox_message m WHERE m.seq = outbox_queue.seq)
WHERE COALESCE(queue_id, 0) = ? AND seq IN (?);

-- DelayedMessages.nextDue
SELECT CONVERT(VARCHAR(26), CAST(MIN(w.due_at) AS DATETIME2(6)), 121) AS due_at, CONVERT(VARCHAR(26), CAST(SYSUTCDATETIME() AS DATETIME2(6)), 121) AS read_at FROM (
  SELECT (SELECT g.due_at FROM outbox_blocked_key g
    WHERE g.partition_id = p.id AND g.due_at > SYSUTCDATETIME()
    ORDER BY g.partition_id, g.due_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) AS due_at
  FROM outbox_partition p WHERE p.id BETWEEN ? AND ?
  UNION ALL SELECT * FROM (
    SELECT available_at AS due_at FROM outbox_queue WHERE queue_id = ? AND available_at > SYSUTCDATETIME()
    ORDER BY queue_id, available_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) d) w;

-- DeliveryTable.delete
DELETE FROM outbox_delivery WHERE status > 0 AND seq IN (?);

-- DeliveryTable.discard
INSERT INTO outbox_delivery (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
SELECT seq, 5, SYSUTCDATETIME(), attempts, last_error, NULL, NULL FROM outbox_queue WHERE seq IN (?);

-- DeliveryTable.expire
INSERT INTO outbox_delivery (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
SELECT seq, 4, SYSUTCDATETIME(), attempts, last_error, NULL, NULL FROM outbox_queue WHERE seq IN (?);

-- DeliveryTable.lockDiscarded
SELECT seq FROM outbox_delivery WITH (UPDLOCK, ROWLOCK) WHERE status = 5 AND seq IN (?);

-- DeliveryTable.lockExpired
SELECT seq FROM outbox_queue WITH (UPDLOCK, ROWLOCK)
WHERE COALESCE(queue_id, 0) > 0 AND requeued_at IS NULL AND seq IN (?);

-- DeliveryTable.lockRetried
SELECT seq FROM outbox_queue WITH (UPDLOCK, ROWLOCK)
WHERE COALESCE(queue_id, 0) > 0 AND requeued_at IS NOT NULL AND seq IN (?);

-- DeliveryTable.remove
DELETE FROM outbox_queue WHERE queue_id <> 0 AND seq IN (?);

-- DeliveryTable.removeExpired
DELETE FROM outbox_queue WHERE COALESCE(queue_id, 0) > 0 AND requeued_at IS NULL AND seq IN (?);

-- DeliveryTable.removePending
DELETE FROM outbox_queue WHERE COALESCE(queue_id, 0) > 0 AND seq IN (?);

-- DueBlockedKeys.ofOnePartition
SELECT * FROM (SELECT id, partition_id, message_key FROM outbox_blocked_key
  WHERE partition_id = ? AND due_at <= SYSUTCDATETIME()
  ORDER BY partition_id, due_at OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY) part;

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
SELECT seq, status FROM outbox_delivery WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE status > 0 AND seq IN (?);

-- FencingTokenTable.begin
UPDATE outbox_partition SET fencing_token = ?
WHERE id = ? AND fencing_token IS NULL;

-- FencingTokenTable.lock
SELECT id FROM outbox_partition WITH (UPDLOCK, ROWLOCK, READPAST) WHERE id = ?;

-- FencingTokenTable.read
SELECT fencing_token FROM outbox_partition WHERE id = ?;

-- FencingTokenTable.replace
UPDATE outbox_partition SET fencing_token = ?
WHERE id = ? AND fencing_token = ?;

-- HeldLeases.fence
SELECT id FROM outbox_partition WITH (UPDLOCK, ROWLOCK)
WHERE owner = ? AND id IN (?);

-- HeldLeases.giveBack
UPDATE outbox_partition SET owner = NULL, leased_until = NULL
WHERE owner = ? AND id IN (?);

-- HeldLeases.lockFree
SELECT id FROM outbox_partition WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE owner = ? AND id IN (?);

-- HeldLeases.lockUnleased
SELECT id FROM outbox_partition WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE id = ? AND (leased_until IS NULL OR leased_until <= SYSUTCDATETIME());

-- HeldLeases.renew
UPDATE outbox_partition SET leased_until = (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d)
WHERE id IN (?);

-- HeldLeases.take
UPDATE outbox_partition SET owner = ?, leased_until = (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d)
WHERE id = ?;

-- HeldUpKeyCounter.blocked
SELECT p.destination, COUNT(*) AS blocked_keys, SUM(COALESCE(w.messages - 1, 0)) AS followers, MIN(b.id) AS oldest
FROM (SELECT g.id, g.partition_id, (
    SELECT q.status FROM outbox_queue q WHERE q.queue_id = g.id
    ORDER BY q.queue_id, q.seq OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) AS status
  FROM outbox_blocked_key g ORDER BY g.id OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) b
JOIN outbox_partition p ON p.id = b.partition_id
LEFT JOIN (SELECT r.queue_id, COUNT(*) AS messages FROM (
    SELECT i.queue_id, i.seq FROM outbox_queue i WHERE i.queue_id > ?
    ORDER BY i.queue_id, i.seq OFFSET 0 ROWS FETCH NEXT 20000 ROWS ONLY) r GROUP BY r.queue_id) w ON w.queue_id = b.id
WHERE p.application = ? AND b.status <> 0 GROUP BY p.destination;

-- HeldUpKeyCounter.inDoubt
SELECT m.seq, m.partition_id, m.message_key FROM outbox_message m
WHERE m.seq IN (?) AND m.message_key IS NOT NULL AND m.not_before IS NULL;

-- HeldUpKeyCounter.queues
SELECT DISTINCT q.queue_id FROM outbox_queue q WHERE q.seq IN (?);

-- HeldUpKeyCounter.waiting
SELECT m.seq, m.partition_id, m.message_key FROM (
  SELECT q.seq FROM outbox_queue q WHERE q.queue_id IN (?)
  ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) w
JOIN outbox_message m ON m.seq = w.seq
WHERE m.message_key IS NOT NULL AND m.not_before IS NULL;

-- JdbcInbox.advance
UPDATE outbox_inbox_key SET last_sequence = ?, last_stored_at = CAST(? AS DATETIME2(6)), received_at = SYSUTCDATETIME()
WHERE application = ? AND consumer = ? AND message_key = ? AND last_sequence <= ?;

-- JdbcInbox.last
SELECT last_sequence, CONVERT(VARCHAR(26), CAST(last_stored_at AS DATETIME2(6)), 121) AS last_stored_at FROM outbox_inbox_key
WHERE application = ? AND consumer = ? AND message_key = ?;

-- JdbcInbox.oldKeys
SELECT consumer, MAX(last_sequence) FROM (
  SELECT consumer, last_sequence FROM outbox_inbox_key WHERE application = ? AND received_at < (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d) AND message_key <> ? ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY) o
GROUP BY consumer;

-- JdbcInbox.purgeKeys
WITH gone AS (SELECT * FROM outbox_inbox_key WHERE application = ? AND received_at < (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d) AND message_key <> ? AND consumer = ? AND last_sequence <= ? ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY) DELETE FROM gone;

-- JdbcInbox.purgeMessages
WITH gone AS (SELECT * FROM outbox_inbox WHERE application = ? AND received_at < (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d) ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY) DELETE FROM gone;

-- JdbcPendingRows.countUnfinishedSend
UPDATE outbox_queue SET unfinished_sends = ? WHERE COALESCE(queue_id, 0) > 0 AND seq = ?;

-- JdbcPendingRows.lockPending
SELECT seq FROM outbox_queue WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE COALESCE(queue_id, 0) > 0 AND seq IN (?);

-- JdbcPendingRows.pending
SELECT seq FROM outbox_queue WHERE COALESCE(queue_id, 0) > 0 AND seq IN (?);

-- JdbcPendingRows.pendingIds
SELECT q.seq, m.message_id FROM outbox_queue q LEFT JOIN outbox_message m ON m.seq = q.seq
WHERE COALESCE(queue_id, 0) > 0 AND q.seq IN (?);

-- JdbcProbeStore.deleteSettled
DELETE FROM outbox_delivery WHERE status > 0 AND seq IN (?);

-- JdbcProbeStore.deleteWaiting
DELETE FROM outbox_queue WHERE queue_id <> 0 AND seq IN (?);

-- JdbcProbeStore.insert
INSERT INTO outbox_queue (seq, queue_id, last_attempt_at) VALUES (?, ?, SYSUTCDATETIME());

-- JdbcProbeStore.lockSettled
SELECT seq FROM outbox_delivery WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE seq < 0 AND (seq = ? OR settled_at < (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d));

-- JdbcProbeStore.lockWaiting
SELECT seq FROM outbox_queue WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE seq < 0 AND (seq = ? OR last_attempt_at < (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d));

-- KeyLocks.lockKey
SELECT id FROM outbox_key_lock WITH (UPDLOCK, ROWLOCK) WHERE id = ?;

-- LockingSettlement.delete
DELETE FROM outbox_queue WHERE queue_id <> 0 AND seq IN (?);

-- LockingSettlement.lock
SELECT seq FROM outbox_queue WITH (UPDLOCK, ROWLOCK) WHERE COALESCE(queue_id, 0) > 0 AND seq IN (?);

-- LockingSettlement.move
INSERT INTO outbox_delivery (seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination)
SELECT seq, 3, SYSUTCDATETIME(), attempts + 1, NULL, NULL, CAST(? AS VARCHAR(64)) FROM outbox_queue WHERE seq IN (?);

-- MessageFinder.columns
m.seq, m.message_id, m.event_type, m.schema_version, m.aggregate_type, m.aggregate_id, m.message_key, m.destination, m.content_type, m.payload, m.payload_binary, m.payload_bytes, m.headers, m.correlation_id, m.causation_id, m.tenant_id, CONVERT(VARCHAR(26), CAST(m.occurred_at AS DATETIME2(6)), 121) AS occurred_at, CONVERT(VARCHAR(26), CAST(m.created_at AS DATETIME2(6)), 121) AS created_at, CONVERT(VARCHAR(26), CAST(m.not_before AS DATETIME2(6)), 121) AS not_before, CONVERT(VARCHAR(26), CAST(CASE WHEN q.requeued_at IS NULL THEN m.expires_at END AS DATETIME2(6)), 121) AS expires_at, m.priority, m.origin_message_id, COALESCE(q.status, d.status) AS status, COALESCE(q.attempts, d.attempts) AS attempts, CONVERT(VARCHAR(26), CAST(COALESCE(q.last_attempt_at, d.settled_at) AS DATETIME2(6)), 121) AS last_attempt_at, COALESCE(q.last_error, d.last_error) AS last_error, CONVERT(VARCHAR(26), CAST(CASE WHEN d.status = 3 THEN d.settled_at END AS DATETIME2(6)), 121) AS published_at, d.broker_message_id, d.shadow_destination, CONVERT(VARCHAR(26), CAST(SYSUTCDATETIME() AS DATETIME2(6)), 121) AS read_at;

-- MessageFinder.columnsOfWaiting
q.seq, m.message_id, m.event_type, m.schema_version, m.aggregate_type, m.aggregate_id, m.message_key, m.destination, m.content_type, m.payload, m.payload_binary, m.payload_bytes, m.headers, m.correlation_id, m.causation_id, m.tenant_id, CONVERT(VARCHAR(26), CAST(m.occurred_at AS DATETIME2(6)), 121) AS occurred_at, CONVERT(VARCHAR(26), CAST(m.created_at AS DATETIME2(6)), 121) AS created_at, CONVERT(VARCHAR(26), CAST(m.not_before AS DATETIME2(6)), 121) AS not_before, CONVERT(VARCHAR(26), CAST(CASE WHEN q.requeued_at IS NULL THEN m.expires_at END AS DATETIME2(6)), 121) AS expires_at, m.priority, m.origin_message_id, q.status, q.attempts, CONVERT(VARCHAR(26), CAST(q.last_attempt_at AS DATETIME2(6)), 121) AS last_attempt_at, q.last_error, CONVERT(VARCHAR(26), CAST(SYSUTCDATETIME() AS DATETIME2(6)), 121) AS read_at;

-- MessageFinder.countWaiting
SELECT COUNT(*) FROM (SELECT seq FROM outbox_queue ORDER BY seq OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY) w;

-- MessageFinder.fromMessages
outbox_message m LEFT JOIN outbox_queue q ON q.seq = m.seq LEFT JOIN outbox_delivery d ON d.seq = m.seq;

-- MessageFinder.fromQueue
outbox_queue q JOIN outbox_message m ON m.seq = q.seq + 0;

-- MessageFinder.rowBelow
SELECT seq, CONVERT(VARCHAR(26), CAST(created_at AS DATETIME2(6)), 121) AS created_at FROM outbox_message WHERE seq < ?
ORDER BY seq DESC OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- MessageFinder.scanWindow
SELECT MIN(w.seq) AS lowest, COUNT(*) AS looked_at FROM (
  SELECT seq FROM outbox_message WHERE seq < ? AND seq > ? ORDER BY seq DESC OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY) w;

-- MessageFinder.windowAfter
SELECT MAX(w.seq) AS highest, COUNT(*) AS looked_at FROM (
  SELECT seq FROM outbox_message WHERE seq > ? AND seq <= ? ORDER BY seq OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY) w;

-- MessagePurge.lockAbandoned
SELECT seq FROM outbox_queue WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE queue_id < 0 AND last_attempt_at <= (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d) AND seq IN (?);

-- MessagePurge.lockSettled
SELECT seq FROM outbox_delivery WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE settled_at <= (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d) AND seq IN (?);

-- MessagePurge.purgeable
SELECT m.seq, CASE WHEN m.application = ? THEN COALESCE(
    (SELECT CASE WHEN d.settled_at <= (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d) THEN 1 ELSE 0 END FROM outbox_delivery d WHERE d.seq = m.seq),
    (SELECT CASE WHEN queue_id < 0 AND last_attempt_at <= (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d) THEN 2 ELSE 0 END
      FROM outbox_queue q WHERE q.seq = m.seq),
    0) ELSE 0 END AS is_over,
  CASE WHEN m.created_at > (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d) AND m.created_at <= SYSUTCDATETIME() THEN 1 ELSE 0 END AS young
FROM outbox_message m WHERE m.seq > ? ORDER BY m.seq OFFSET 0 ROWS FETCH NEXT ? ROWS ONLY;

-- MessagePurge.removeAbandoned
DELETE FROM outbox_queue WHERE queue_id < 0 AND seq IN (?);

-- MessageRemoval.archive
INSERT INTO outbox_archive (seq, message_id, application, event_type, schema_version, aggregate_type, aggregate_id, message_key, partition_id, destination, content_type, payload, payload_binary, payload_bytes, headers, correlation_id, causation_id, tenant_id, occurred_at, created_at, not_before, expires_at, priority, origin_message_id, transport, status, attempts, last_attempt_at, last_error, published_at, broker_message_id, shadow_destination, archived_at)
SELECT m.seq, m.message_id, m.application, m.event_type, m.schema_version, m.aggregate_type, m.aggregate_id, m.message_key, m.partition_id, m.destination, m.content_type, m.payload, m.payload_binary, m.payload_bytes, m.headers, m.correlation_id, m.causation_id, m.tenant_id, m.occurred_at, m.created_at, m.not_before, CASE WHEN q.requeued_at IS NULL THEN m.expires_at END, m.priority, m.origin_message_id, m.transport, CASE COALESCE(q.status, d.status) WHEN 0 THEN 'PENDING' WHEN 1 THEN 'FAILED' WHEN 3 THEN 'PUBLISHED' WHEN 2 THEN 'ABANDONED' WHEN 4 THEN 'EXPIRED' WHEN 5 THEN 'DISCARDED' END, COALESCE(q.attempts, d.attempts), COALESCE(q.last_attempt_at, d.settled_at), COALESCE(q.last_error, d.last_error), CASE WHEN d.status = 3 THEN d.settled_at END, d.broker_message_id, d.shadow_destination, SYSUTCDATETIME() FROM outbox_message m LEFT JOIN outbox_queue q ON q.seq = m.seq
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
SELECT node_id, module_name, host, server, process, version, partitions_held, CONVERT(VARCHAR(26), CAST(started_at AS DATETIME2(6)), 121) AS started_at,
  CONVERT(VARCHAR(26), CAST(last_tick_at AS DATETIME2(6)), 121) AS last_tick_at, CONVERT(VARCHAR(26), CAST(SYSUTCDATETIME() AS DATETIME2(6)), 121) AS read_at
FROM outbox_node WHERE application = ? ORDER BY last_tick_at DESC;

-- NodeTable.delete
DELETE FROM outbox_node WHERE node_id = ?;

-- NodeTable.heartbeat
UPDATE outbox_node SET last_tick_at = SYSUTCDATETIME(), partitions_held = ? WHERE node_id = ?;

-- NodeTable.insert
INSERT INTO outbox_node (node_id, application, module_name, host, server, process, version, partitions_held, started_at,
  last_tick_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, SYSUTCDATETIME(), SYSUTCDATETIME());

-- NodeTable.lockStale
SELECT node_id FROM outbox_node WITH (UPDLOCK, ROWLOCK, READPAST) WHERE last_tick_at < (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d);

-- OperatorStore.bringHome
UPDATE outbox_queue SET queue_id = (SELECT m.partition_id FROM outbox_message m WHERE m.seq = outbox_queue.seq)
WHERE queue_id = ? AND EXISTS (SELECT 1 FROM outbox_message n WHERE n.seq = outbox_queue.seq);

-- OperatorStore.destinations
SELECT DISTINCT destination FROM outbox_message WHERE seq IN (?);

-- OperatorStore.locks.DISCARD
SELECT seq, queue_id, status FROM outbox_queue WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE status IN (0, 1, 2) AND seq IN (?);

-- OperatorStore.locks.REPLAY
SELECT seq, 0 AS queue_id, status FROM outbox_delivery d WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE status IN (3, 4, 5) AND seq IN (?) AND NOT EXISTS (
  SELECT 1 FROM outbox_message m WHERE m.seq = d.seq AND m.payload_bytes > 0 AND m.payload IS NULL AND m.payload_binary IS NULL);

-- OperatorStore.locks.REPLAY_AS_NEW
SELECT seq, 0 AS queue_id, status FROM outbox_delivery d WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE status IN (3, 4, 5) AND seq IN (?) AND NOT EXISTS (
  SELECT 1 FROM outbox_message m WHERE m.seq = d.seq AND m.payload_bytes > 0 AND m.payload IS NULL AND m.payload_binary IS NULL);

-- OperatorStore.locks.RETRY
SELECT seq, queue_id, status FROM outbox_queue WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE status IN (1, 2) AND seq IN (?);

-- OperatorStore.replay
INSERT INTO outbox_queue (seq, queue_id, requeued_at, last_attempt_at)
SELECT d.seq, (SELECT m.partition_id FROM outbox_message m WHERE m.seq = d.seq), SYSUTCDATETIME(), d.settled_at FROM outbox_delivery d WHERE d.seq IN (?);

-- OperatorStore.retry
UPDATE outbox_queue SET requeued_at = CASE WHEN status = 1
    AND (SELECT m.expires_at FROM outbox_message m WHERE m.seq = outbox_queue.seq) > SYSUTCDATETIME() THEN requeued_at ELSE SYSUTCDATETIME() END,
  attempts = 0, unfinished_sends = 0, available_at = NULL,
  queue_id = CASE WHEN EXISTS (SELECT 1 FROM outbox_blocked_key b WHERE b.id = outbox_queue.queue_id) THEN queue_id
    ELSE (SELECT m.partition_id FROM outbox_message m WHERE m.seq = outbox_queue.seq) END,
  status = 0 WHERE seq IN (?);

-- OperatorStore.sequence
SELECT seq FROM outbox_message WHERE message_id = ? AND application = ?;

-- PageReader.statement
SELECT * FROM (SELECT q.seq, m.message_id, m.event_type, m.schema_version, m.aggregate_type, m.aggregate_id, m.message_key, m.destination, m.content_type, m.payload, m.payload_binary, m.payload_bytes, m.headers, m.correlation_id, m.causation_id, m.tenant_id, CONVERT(VARCHAR(26), CAST(m.occurred_at AS DATETIME2(6)), 121) AS occurred_at, CONVERT(VARCHAR(26), CAST(m.created_at AS DATETIME2(6)), 121) AS created_at, CONVERT(VARCHAR(26), CAST(m.not_before AS DATETIME2(6)), 121) AS not_before, CONVERT(VARCHAR(26), CAST(CASE WHEN q.requeued_at IS NULL THEN m.expires_at END AS DATETIME2(6)), 121) AS expires_at, m.priority, m.origin_message_id, q.status, q.attempts, CONVERT(VARCHAR(26), CAST(q.last_attempt_at AS DATETIME2(6)), 121) AS last_attempt_at, q.last_error, CONVERT(VARCHAR(26), CAST(SYSUTCDATETIME() AS DATETIME2(6)), 121) AS read_at, q.queue_id, q.unfinished_sends,
  CASE WHEN q.status = 0 OR q.status = 1 AND q.available_at IS NULL
    OR q.available_at <= SYSUTCDATETIME() THEN 1 ELSE 0 END AS due, 1 AS perhaps_locked,
  CASE WHEN m.not_before IS NULL AND (SELECT 1 FROM outbox_blocked_key g WHERE g.partition_id = q.queue_id
    AND g.message_key = m.message_key ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) IS NOT NULL THEN 1 ELSE 0 END AS key_blocked
FROM outbox_queue q LEFT JOIN outbox_message m ON m.seq = q.seq
WHERE q.queue_id = ? AND q.seq > ? ORDER BY q.queue_id, q.seq OFFSET 0 ROWS FETCH NEXT 100 ROWS ONLY) part;

-- PartitionClaim.find
SELECT p.id, CASE WHEN p.id > ? THEN 0 ELSE 1 END AS section, CASE WHEN (SELECT g.due_at FROM outbox_blocked_key g
    WHERE g.partition_id = p.id AND g.due_at IS NOT NULL ORDER BY g.partition_id, g.due_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) <= SYSUTCDATETIME() THEN 1 ELSE 0 END AS blocked_keys, 0 AS first_seq, 0 AS locked
FROM outbox_partition p
WHERE p.id BETWEEN ? AND ? AND ((SELECT q.seq FROM outbox_queue q WHERE q.queue_id = p.id ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) IS NOT NULL OR (SELECT g.due_at FROM outbox_blocked_key g
    WHERE g.partition_id = p.id AND g.due_at IS NOT NULL ORDER BY g.partition_id, g.due_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) <= SYSUTCDATETIME()) AND NOT EXISTS (SELECT 1 FROM outbox_control c WHERE c.application = p.application
    AND c.destination IN (p.destination, '*') AND (c.paused = 1 OR c.backfill_partition <> p.id)) AND (p.leased_until IS NULL OR p.leased_until <= SYSUTCDATETIME())
UNION ALL SELECT p.id, 2 AS section, 0 AS blocked_keys, 0 AS first_seq, 0 AS locked
FROM outbox_partition p WHERE p.id = ? AND NOT EXISTS (SELECT 1 FROM outbox_control c WHERE c.application = p.application
    AND c.destination IN (p.destination, '*') AND (c.paused = 1 OR c.backfill_partition <> p.id))
  AND (SELECT seq FROM outbox_queue WHERE queue_id = ? AND available_at <= SYSUTCDATETIME()
    ORDER BY queue_id, available_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) IS NOT NULL
ORDER BY section, id;

-- PartitionClaim.lock
SELECT p.id FROM outbox_partition p WITH (UPDLOCK, ROWLOCK, READPAST) WHERE p.id = ? AND (p.leased_until IS NULL OR p.leased_until <= SYSUTCDATETIME());

-- PartitionFollowers.find
SELECT s.seq, g.id FROM (
  SELECT q.seq, q.queue_id, m.message_key, m.not_before
  FROM outbox_queue q LEFT JOIN outbox_message m ON m.seq = q.seq
  WHERE q.queue_id = ? AND q.seq > ? ORDER BY q.queue_id, q.seq OFFSET 0 ROWS FETCH NEXT 1000 ROWS ONLY) s
JOIN outbox_blocked_key g ON g.partition_id = s.queue_id AND g.message_key = s.message_key
WHERE s.not_before IS NULL ORDER BY s.seq;

-- PartitionFollowers.lock
SELECT seq FROM outbox_queue WITH (UPDLOCK, ROWLOCK, READPAST)
WHERE COALESCE(queue_id, 0) = ? AND seq IN (?);

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
WHERE p.application <> ? AND ((SELECT 1 FROM outbox_queue q WHERE q.queue_id = p.id ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) IS NOT NULL
  OR (SELECT g.id FROM outbox_blocked_key g WHERE g.partition_id = p.id ORDER BY g.partition_id, g.due_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) IS NOT NULL)
ORDER BY p.application OFFSET 0 ROWS FETCH NEXT 10 ROWS ONLY;

-- PartitionSetup.rows
SELECT id, application, destination, partition_count FROM outbox_partition WHERE id BETWEEN ? AND ?;

-- PartitionSetup.waiting
SELECT q.seq FROM outbox_queue q LEFT JOIN outbox_message m ON m.seq = q.seq
WHERE m.application = ? AND m.destination = ? ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY;

-- RetryWriter.lockPending
SELECT queue_id, attempts, (SELECT m.destination FROM outbox_message m WHERE m.seq = q.seq) AS destination,
  (SELECT m.partition_id FROM outbox_message m WHERE m.seq = q.seq) AS home,
  (SELECT CASE WHEN m.not_before IS NULL THEN m.message_key END FROM outbox_message m
    WHERE m.seq = q.seq) AS ordering_key
FROM outbox_queue q WITH (UPDLOCK, ROWLOCK) WHERE COALESCE(queue_id, 0) > 0 AND q.seq = ?;

-- RetryWriter.lockRetried
SELECT seq FROM outbox_queue WITH (UPDLOCK, ROWLOCK)
WHERE COALESCE(queue_id, 0) > 0 AND seq = ? AND attempts < ?;

-- RetryWriter.scheduleRetry
UPDATE outbox_queue SET status = ?, attempts = ?, last_attempt_at = SYSUTCDATETIME(), last_error = ?,
  available_at = (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d), queue_id = ? WHERE COALESCE(queue_id, 0) > 0 AND seq = ?;

-- Statements.blockedKeys
SELECT COUNT(*) FROM (SELECT b.id FROM outbox_blocked_key b ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1000 ROWS ONLY) k;

-- Statements.counts
SELECT destination, status, COUNT(*) FROM (
  SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM outbox_partition p
    JOIN outbox_blocked_key g ON g.partition_id = p.id + 0
    JOIN outbox_queue q ON q.queue_id = g.id
    WHERE p.application = ? ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 20000 ROWS ONLY) g
  UNION ALL
  SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM outbox_partition p
    JOIN outbox_queue q ON q.queue_id = p.id
    WHERE p.application = ? AND p.partition_no < 4094 ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) n
  UNION ALL
  SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM outbox_partition p
    JOIN outbox_queue q ON q.queue_id = p.id
    WHERE p.application = ? AND p.partition_no = 4094 ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) l
  UNION ALL
  SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM outbox_partition p
    JOIN outbox_queue q ON q.queue_id = -p.id
    WHERE p.application = ? ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) a
) s GROUP BY destination, status
UNION ALL SELECT destination, -1, 1 FROM outbox_control WHERE application = ?
  AND (paused = 1 OR backfill_partition IS NOT NULL);

-- Statements.countsOfOne
SELECT destination, status, COUNT(*) FROM (
  SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM outbox_partition p
    JOIN outbox_blocked_key g ON g.partition_id = p.id + 0
    JOIN outbox_queue q ON q.queue_id = g.id
    WHERE p.application = ? AND p.destination = ? ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 20000 ROWS ONLY) g
  UNION ALL
  SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM outbox_partition p
    JOIN outbox_queue q ON q.queue_id = p.id
    WHERE p.application = ? AND p.destination = ? AND p.partition_no < 4094 ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) n
  UNION ALL
  SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM outbox_partition p
    JOIN outbox_queue q ON q.queue_id = p.id
    WHERE p.application = ? AND p.destination = ? AND p.partition_no = 4094 ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) l
  UNION ALL
  SELECT destination, status FROM (SELECT /*+ NO_BNL() */ p.destination, q.status FROM outbox_partition p
    JOIN outbox_queue q ON q.queue_id = -p.id
    WHERE p.application = ? AND p.destination = ? ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) a
) s GROUP BY destination, status
UNION ALL SELECT destination, -1, 1 FROM outbox_control WHERE application = ?
  AND (paused = 1 OR backfill_partition IS NOT NULL);

-- Statements.oldest
SELECT s.destination, CONVERT(VARCHAR(26), CAST(MIN(s.since) AS DATETIME2(6)), 121) AS oldest, CONVERT(VARCHAR(26), CAST(MIN(SYSUTCDATETIME()) AS DATETIME2(6)), 121) AS read_at FROM (
  SELECT f.destination, (
    SELECT CASE WHEN q.requeued_at IS NOT NULL THEN q.requeued_at
      WHEN m.not_before > m.created_at THEN m.not_before ELSE m.created_at END
    FROM outbox_queue q JOIN outbox_message m ON m.seq = q.seq
    WHERE q.seq = f.seq) AS since
  FROM (
    SELECT w.destination, (SELECT q.seq FROM outbox_queue q
      WHERE q.queue_id = w.id AND q.status <> 2
      ORDER BY q.queue_id, q.seq OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) AS seq FROM (SELECT p.id, p.destination FROM outbox_partition p WHERE p.application = ? AND p.partition_no < 4094
UNION ALL SELECT g.id, o.destination FROM (
  SELECT e.id, e.partition_id FROM (
    SELECT c.id, c.partition_id FROM (SELECT i.id, i.partition_id FROM outbox_blocked_key i
        ORDER BY i.id OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) c
      WHERE c.partition_id IN (SELECT s.id FROM outbox_partition s WHERE s.application = ?)
    UNION
    SELECT b.id, b.partition_id FROM (SELECT j.id, j.partition_id FROM outbox_partition r
      JOIN outbox_blocked_key j ON j.partition_id = r.id + 0 WHERE r.application = ? ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) b) e
  WHERE (SELECT q.seq FROM outbox_queue q WHERE q.queue_id = e.id AND q.status <> 2
    ORDER BY q.queue_id, q.seq OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) IS NOT NULL
  ORDER BY e.id OFFSET 0 ROWS FETCH NEXT 1000 ROWS ONLY) g
  JOIN outbox_partition o ON o.id = g.partition_id) w
    UNION ALL SELECT p.destination, (SELECT CASE WHEN q.available_at <= SYSUTCDATETIME() THEN q.seq END
      FROM outbox_queue q WHERE q.queue_id = p.id AND q.available_at IS NOT NULL
      ORDER BY q.queue_id, q.available_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) AS seq
    FROM outbox_partition p WHERE p.application = ? AND p.partition_no = 4094) f) s
GROUP BY s.destination;

-- Statements.oldestOfOne
SELECT s.destination, CONVERT(VARCHAR(26), CAST(MIN(s.since) AS DATETIME2(6)), 121) AS oldest, CONVERT(VARCHAR(26), CAST(MIN(SYSUTCDATETIME()) AS DATETIME2(6)), 121) AS read_at FROM (
  SELECT f.destination, (
    SELECT CASE WHEN q.requeued_at IS NOT NULL THEN q.requeued_at
      WHEN m.not_before > m.created_at THEN m.not_before ELSE m.created_at END
    FROM outbox_queue q JOIN outbox_message m ON m.seq = q.seq
    WHERE q.seq = f.seq) AS since
  FROM (
    SELECT w.destination, (SELECT q.seq FROM outbox_queue q
      WHERE q.queue_id = w.id AND q.status <> 2
      ORDER BY q.queue_id, q.seq OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) AS seq FROM (SELECT p.id, p.destination FROM outbox_partition p WHERE p.application = ? AND p.destination = ? AND p.partition_no < 4094
UNION ALL SELECT g.id, o.destination FROM (
  SELECT e.id, e.partition_id FROM (
    SELECT j.id, j.partition_id FROM outbox_partition r
      JOIN outbox_blocked_key j ON j.partition_id = r.id + 0 WHERE r.application = ? AND r.destination = ? ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) e
  WHERE (SELECT q.seq FROM outbox_queue q WHERE q.queue_id = e.id AND q.status <> 2
    ORDER BY q.queue_id, q.seq OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) IS NOT NULL
  ORDER BY e.id OFFSET 0 ROWS FETCH NEXT 1000 ROWS ONLY) g
  JOIN outbox_partition o ON o.id = g.partition_id) w
    UNION ALL SELECT p.destination, (SELECT CASE WHEN q.available_at <= SYSUTCDATETIME() THEN q.seq END
      FROM outbox_queue q WHERE q.queue_id = p.id AND q.available_at IS NOT NULL
      ORDER BY q.queue_id, q.available_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) AS seq
    FROM outbox_partition p WHERE p.application = ? AND p.destination = ? AND p.partition_no = 4094) f) s
GROUP BY s.destination;

-- TableCheck.check
SELECT 'partition' AS kind, p.destination AS destination, p.partition_count AS detail, p.id AS id FROM outbox_partition p
  WHERE p.application = ?
UNION ALL SELECT 'control', c.destination, c.paused, 0 FROM outbox_control c WHERE c.application = ?
UNION ALL SELECT 'lost', u.destination, 0, COUNT(*) FROM (SELECT /*+ JOIN_FIXED_ORDER() NO_BNL() */ m.destination, q.seq FROM (SELECT COALESCE(LAG(i.id) OVER (ORDER BY i.id), ?) AS first_id, i.id AS next_id
FROM (SELECT b.id FROM outbox_blocked_key b ORDER BY b.id OFFSET 0 ROWS FETCH NEXT 1000 ROWS ONLY) i
UNION ALL SELECT COALESCE(MAX(h.id), ?), COALESCE(MAX(h.id), ?) + ? FROM outbox_blocked_key h) g
JOIN outbox_queue q ON q.queue_id > g.first_id AND q.queue_id < g.next_id
JOIN outbox_message m ON m.seq = q.seq
WHERE g.next_id > g.first_id + 1 AND m.application = ? ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 10000 ROWS ONLY) u GROUP BY u.destination
UNION ALL SELECT '', '', 0, 0 FROM (SELECT version, readable_from, applied_at FROM outbox_schema WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT id, application, destination, partition_no, partition_count, owner, leased_until, fencing_token FROM outbox_partition WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, message_id, application, event_type, schema_version, aggregate_type, aggregate_id, message_key, partition_id, destination, content_type, payload, payload_binary, payload_bytes, headers, correlation_id, causation_id, tenant_id, occurred_at, created_at, not_before, expires_at, priority, origin_message_id, transport FROM outbox_message WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, queue_id, status, attempts, unfinished_sends, available_at, requeued_at, last_attempt_at, last_error FROM outbox_queue WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, status, settled_at, attempts, last_error, broker_message_id, shadow_destination FROM outbox_delivery WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT id, partition_id, message_key, due_at FROM outbox_blocked_key WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT id FROM outbox_key_lock WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, message_id, application, event_type, schema_version, aggregate_type, aggregate_id, message_key, destination, content_type, payload, payload_binary, correlation_id, causation_id, tenant_id, occurred_at, created_at, not_before, expires_at, priority, available_at, status, attempts, last_attempt_at, last_error, published_at, broker_message_id, shadow_destination FROM outbox_message_view WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT application, destination, paused, changed_by, changed_at, backfill_partition, backfill_source, backfill_types, backfill_from, backfill_position, backfill_end, backfill_copied, backfill_present, backfill_skipped, backfill_started_at, backfill_ended_at FROM outbox_control WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT id, application, done_by, done_as, action, subject, changed, done_at FROM outbox_audit WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, audit_id FROM outbox_audit_message WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT seq, message_id, application, event_type, schema_version, aggregate_type, aggregate_id, message_key, partition_id, destination, content_type, payload, payload_binary, payload_bytes, headers, correlation_id, causation_id, tenant_id, occurred_at, created_at, not_before, expires_at, priority, origin_message_id, transport, status, attempts, last_attempt_at, last_error, published_at, broker_message_id, shadow_destination, archived_at FROM outbox_archive WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT application, consumer, message_id, received_at FROM outbox_inbox WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT application, consumer, message_key, last_sequence, last_stored_at, received_at FROM outbox_inbox_key WHERE 1 = 0) t UNION ALL SELECT '', '', 0, 0 FROM (SELECT node_id, application, module_name, host, server, process, version, started_at, last_tick_at, partitions_held FROM outbox_node WHERE 1 = 0) t;

-- TextRoundTrip.read
SELECT host, NULL FROM outbox_node WHERE node_id = ?;

-- TextRoundTrip.write
INSERT INTO outbox_node (node_id, application, module_name, host, server, process, version, started_at, last_tick_at)
VALUES (?, ?, 'check', ?, 'check', 0, 'check', SYSUTCDATETIME(), SYSUTCDATETIME());

-- TwoStepInsert.messages
INSERT INTO outbox_message (message_id, application, event_type, schema_version, aggregate_type, aggregate_id, message_key, partition_id, destination, content_type, payload, payload_binary, payload_bytes, headers, correlation_id, causation_id, tenant_id, occurred_at, created_at, not_before, expires_at, priority, origin_message_id, transport) SELECT ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, CAST(? AS DATETIME2(6)), SYSUTCDATETIME(), CAST(? AS DATETIME2(6)), COALESCE(CAST(? AS DATETIME2(6)), (SELECT DATEADD(MILLISECOND, d.millis % 1000, DATEADD(SECOND, d.millis / 1000, SYSUTCDATETIME())) FROM (SELECT CAST(? AS BIGINT) AS millis) d)), ?, ?, ?;

-- TwoStepInsert.queueRows
INSERT INTO outbox_queue (seq, queue_id, available_at) SELECT (SELECT m.seq FROM outbox_message m WHERE m.message_id = ?), ?, CAST(? AS DATETIME2(6));

-- UniqueInsert.insert
INSERT INTO outbox_inbox_key (application, consumer, message_key, last_sequence, last_stored_at, received_at)
SELECT ?, ?, COALESCE((SELECT purged FROM (SELECT MAX(message_key) AS purged FROM outbox_inbox_key
  WHERE application = ? AND consumer = ? AND message_key = ? AND last_sequence > ?) s), ?),
  ?, CAST(? AS DATETIME2(6)), SYSUTCDATETIME();

-- WaitingDestinations.find
SELECT DISTINCT p.destination FROM outbox_partition p
WHERE p.application = ? AND (p.partition_no < ? AND ((SELECT q.seq FROM outbox_queue q WHERE q.queue_id = p.id ORDER BY (SELECT NULL) OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) IS NOT NULL OR (SELECT g.due_at FROM outbox_blocked_key g
    WHERE g.partition_id = p.id AND g.due_at IS NOT NULL ORDER BY g.partition_id, g.due_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) <= SYSUTCDATETIME())
  OR p.partition_no = 4094 AND (SELECT q.available_at FROM outbox_queue q
    WHERE q.queue_id = p.id AND q.available_at IS NOT NULL
    ORDER BY q.queue_id, q.available_at OFFSET 0 ROWS FETCH NEXT 1 ROWS ONLY) <= SYSUTCDATETIME());
