/**
 * The crash harness: the real engine in plain JVMs that are killed at named points, hundreds of times in one run.
 *
 * <pre>
 *  controller (the test)                              node 1..3 (NodeMain), a plain JVM
 *  ---------------------                              -----------------------------------------------
 *  CrashRun ── ARM point, GO ──────────────► stdin    Business: writers and an operator, in JTA transactions
 *     │    ◄── AT point, C/R transaction ─── stdout      │
 *     │    ─── kill -9, -STOP, -CONT ──────►             ▼
 *     │                                               PlainCapture, PlainDispatch: the real engine, without a container
 *     │                                                  │                                     │
 *     │                                               TransactionalDataSource    TransactionalConnectionFactory
 *     │                                                  │    Branch, NodeTransactions (Narayana)    │
 *     │                                                  │    Breakpoint ◄── Points                  │
 *     ▼                                                  ▼                                     ▼
 *  AccountBook ◄── Arrivals, a JMS client ◄───────── PostgreSQL                            ActiveMQ
 * </pre>
 *
 * <p><b>A run.</b> Writers change aggregates under their row locks and fire events of all kinds; an operator replays,
 * discards and retries. The controller arms a point at a node. The first thread that reaches the point reports it and
 * waits. The controller kills the node, suspends it or cuts its connections, and starts it again. At the end the
 * controller ends all faults and waits for all deliveries. Then the {@link dev.cdioutbox.tests.crash.AccountBook} compares
 * the arrivals with the business tables. No message may be lost or be a ghost, each key is in order, and the mode limits
 * the copies. A point that was armed and never reached fails the run.
 *
 * <p><b>What takes effect.</b> Most modes count what a client outside of the nodes receives. In the mode {@code HANDLER},
 * a handler in the nodes writes a row for each message, and the rows count. In the mode {@code INBOX}, the nodes send to the
 * broker as ever, and an {@link dev.cdioutbox.tests.crash.InboxReceiver} in each node stores what it receives for that
 * handler.
 *
 * <p><b>Named points</b> need no code in production. The harness recognises them at the edges: a statement by verb and
 * table, a branch by its phase, a send by its place in the session. Only
 * {@link dev.cdioutbox.tests.crash.Points} and {@link dev.cdioutbox.tests.crash.WrongEngine} know the statements of the
 * engine. {@code PlainCapture} and {@code PlainDispatch} assemble the engine without a container.
 *
 * <p><b>The order of commits</b> is that of Open Liberty with a commit-priority. The broker commits first. The database
 * commits only when the broker has no prepared branch of the transaction, in recovery too. Narayana alone would continue
 * with the next branch, so {@link dev.cdioutbox.tests.crash.Branch} keeps the order.
 *
 * <p><b>Forms.</b> {@code CrashPointsIT} runs with each build. The profile {@code crash} runs {@code CrashCampaign} (five
 * hundred kills), {@code KafkaCampaign} (as many with Kafka in place of ActiveMQ), {@code FaultCampaign} (rarer faults) and
 * {@code WrongEngineCampaign} (the negative controls). PostgreSQL runs without fsync and ActiveMQ without sync in all of
 * them, since the harness kills processes and never the machine.
 */
package dev.cdioutbox.tests.crash;
