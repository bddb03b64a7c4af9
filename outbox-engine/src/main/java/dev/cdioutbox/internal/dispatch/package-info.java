/**
 * Dispatches the messages of one outbox on this node. Each destination has a worker, and this is the way of a batch in which
 * nothing fails:
 *
 * <pre>
 *   Dispatcher.wake       a commit tells which messages it has stored
 *   DestinationWorker     lets WorkerState decide, and starts a thread, which goes through cycles
 *   DestinationOpening      has opened the destination: OpenDestination says how to send
 *   DeliveryCycle           claim, send, settle, commit:
 *   Claim                     reserves partitions and reads their due messages
 *   BatchDelivery             makes one attempt:
 *   SendTransaction             one transaction, or two (DeliveryProtocol):
 *   SendLoop                      sends in order, and completes the batch
 *   SettlementStore               settles what was sent
 *   CycleResult             says where messages may still wait; WorkerState decides on the next cycle
 * </pre>
 *
 * <p>Some calls on this way do nothing for most destinations: {@code mark} writes only for a shadow, {@code proveSent} proves only
 * a lease or a marker, {@code committed} notes only a marker, and {@code BrokerIds} finds ids only with some transports.
 *
 * <p>Whatever is rare stands behind a door, which only evidence opens:
 *
 * <pre>
 *   door                                  opened by
 *   -----------------------------------   -------------------------------------------------------------
 *   DeliveryCycle.moveDueAndDeliver       a claim that finds delayed messages due
 *   InDoubtMonitor                        a claim that finds rows locked by another transaction
 *   DestinationRecovery                   a process that crashed, or a row that counts unfinished sends
 *   BatchRecovery, FailurePolicy          an attempt that has not settled the whole batch, or an unreadable row
 *   FailedTransaction                     a transaction that has failed
 *   FailedMessages                        a completion that reports failed messages
 *   HeldMessages                          a last attempt, at a destination that is not known to work
 *   UnsentTransaction, DeadLetterCopy     failed, unreadable or expired messages
 *   ProbeTransaction                      a worker that fails, a refused commit, or a suspect
 * </pre>
 *
 * <p>Some things are decided elsewhere than their names suggest:
 *
 * <pre>
 *   question                                            place
 *   -------------------------------------------------   -----------------------------------------------
 *   how many threads start after commits, or outages    WorkerState, Threads
 *   when has a message expired                          SendLoop, by the clock of the database
 *   what becomes of a failed close of a sender          SendLoop
 *   how often is a refused commit tried again           FailurePolicy
 *   how often does a task beside the batches run        ejb.OutboxTimer
 *   how many crashes are too many                       CrashPolicy
 * </pre>
 *
 * <p>{@link dev.cdioutbox.internal.dispatch.Dispatcher} assembles the workers and what works beside the batches, such as {@code
 * PurgeTask}, and package {@code ejb} calls both with its timers and threads.
 */
package dev.cdioutbox.internal.dispatch;
