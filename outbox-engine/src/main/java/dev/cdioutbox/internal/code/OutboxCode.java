package dev.cdioutbox.internal.code;

import java.math.BigDecimal;
import java.time.Duration;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import dev.cdioutbox.EventRefusedException;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxUnavailableException;
import dev.cdioutbox.operate.UnknownNameException;

/**
 * Everything that the outbox reports, each under a stable code: 01xx capture, 02xx configuration, 03xx store, 04xx
 * dispatch, 05xx JMS, 06xx operations. docs/messages.md adds what the text does not say.
 */
public enum OutboxCode {
    OUTSIDE_TRANSACTION(
            "OBX-0101",
            "event %s was fired outside of a JTA transaction, so nothing could commit it. Fire it from an EJB or a"
                    + " @Transactional method, or set outbox.outside-transaction=own-transaction."),
    FIRED_ASYNC(
            "OBX-0102",
            "event %s was fired with fireAsync, which takes it out of the caller's transaction. Use fire()."),
    ROLLBACK_ONLY(
            "OBX-0103",
            "event %s was fired in a transaction that is already marked for rollback, so it will not be stored. Find"
                    + " out what marked the transaction, and fire nothing after setRollbackOnly."),
    TRANSACTION_ENDED(
            "OBX-0104",
            "event %s was fired when its transaction was already completing (status %s), too late to store it. Fire"
                    + " it before the commit, or in a new transaction."),
    NULL_KEY(
            "OBX-0105",
            "event %s has a null key (%s). If the database generates the id, flush the entity before firing."),
    KEY_UNREADABLE(EventRefusedException::new, "OBX-0106", "event %s: its key (%s) cannot be used: %s."),
    KEY_TOO_LONG(
            EventRefusedException::new,
            "OBX-0107",
            "event %s: its key (%s) has %d characters; at most %d are allowed. Choose a shorter id as the key."),
    NOT_SERIALIZABLE(
            EventRefusedException::new,
            "OBX-0108",
            "event %s could not be written as %s: %s. The serializer needs a public record or bean of plain values, without"
                    + " cycles and without deep nesting."),
    PAYLOAD_TOO_LARGE(
            EventRefusedException::new,
            "OBX-0109",
            "event %s: its payload and headers have %d bytes; outbox.payload.max-size allows %d. Send a reference instead of the"
                    + " content, or raise the limit."),
    EVENT_NOT_STORED(
            OutboxUnavailableException::new,
            "OBX-0110",
            "%d event(s) (%s) could not be written to %s, so their transaction is rolled back: %s."),
    BAD_EVENT_TYPE("OBX-0111", "%s: %s"),
    UNKNOWN_DESTINATION(
            "OBX-0112",
            "event %s goes to destination '%s', which is not configured. Set outbox.destinations.%s.jndi, or .topic, and"
                    + " restart the application, or correct the name; configured are %s."),
    INVALID_EVENT(
            EventRefusedException::new,
            "OBX-0113",
            "event %s breaks its own constraints: %s. Correct it before it is fired."),
    BAD_METADATA(EventRefusedException::new, "OBX-0114", "event %s: %s. Correct the enricher that sets it."),
    ENRICHER_FAILED("OBX-0115", "event %s: the enricher %s failed: %s."),
    FIRED_TOO_EARLY(
            "OBX-0116",
            "event %s was fired before the deployment was complete, when there was no outbox yet. Fire it from"
                    + " @PostConstruct of a @Startup bean, or later."),
    AGGREGATE_NOT_WRITTEN(
            "OBX-0117",
            "%s collected event(s) (%s) but was not written to the database in this transaction, which is rolled back."
                    + " Change a persistent attribute with the event, and keep the entity managed until the commit or merge"
                    + " it. If another method writes the row, such as one of a Jakarta Data repository, mark the method"
                    + " with @WritesAggregates."),
    HIDDEN_ANNOTATION(
            "OBX-0118",
            "event %s: its class %s has @OutboxEvent, but its class loader does not see the outbox, so Java ignores"
                    + " the annotation. Put the event class into the WAR, beside the outbox jars."),
    NOT_VALIDATED("OBX-0119", "event %s could not be validated: %s."),
    EMPTY_PAYLOAD(
            EventRefusedException::new,
            "OBX-0120",
            "event %s: JSON-B wrote {} although the class has fields, because none of them has a public getter. Make it a record,"
                    + " or add getters."),
    STORE_CLOSED(
            OutboxUnavailableException::new,
            "OBX-0122",
            "event %s cannot be stored, so its transaction is rolled back: %s."),
    TRANSACTION_TOO_LARGE(
            "OBX-0123",
            "event %s: the %d messages of its transaction would need about %d bytes of memory until the commit; a sixth of"
                    + " the heap, %d bytes, is the limit. Commit more often, or give the server a larger heap (-Xmx)."),
    COLLECTED_OUTSIDE(
            "OBX-0124",
            "%s collected an event outside of a JTA transaction, so the outbox could not find it later. Call the business"
                    + " method in the transaction that writes the entity: in an EJB or a @Transactional method."),
    CDC_TERMS(
            EventRefusedException::new,
            "OBX-0125",
            "event %s goes to the destination '%s' with transport=cdc, which sends it as soon as it is committed, so nothing can"
                    + " %s. Let the enricher not ask for that, or give the event a destination with another transport."),
    AGGREGATE_ID_UNUSABLE(
            EventRefusedException::new, "OBX-0126", "event %s: its aggregate id (%s) cannot be used: %s."),
    BYTES_NAMED_TEXT(
            EventRefusedException::new,
            "OBX-0127",
            "event %s: its serializer returned bytes with the content type %s, which is a text, so neither SQL nor consumers could"
                    + " read it. Return OutboxPayload.text, or name the binary format, such as avro/binary."),
    HANDLER_REFUSED("OBX-0130", "%s cannot be an @OutboxHandler: %s."),
    HANDLER_NAMED_TWICE(
            "OBX-0131",
            "several methods are the handler '%s' of the outbox '%s': %s. Each message has one handler, so give each of them a"
                    + " different name."),
    HANDLED_TYPE_UNKNOWN(
            "OBX-0132",
            "the handler '%s' is for the event type %s, which no event class of the deployment has%s. Correct the type, or ignore"
                    + " this if the class is first seen when it is fired, or if the messages come from a broker."),
    NOBODY_HANDLES(
            "OBX-0133",
            "event %s has the destination 'local', which stands for the handlers of its type %s, but the application has none. Write an"
                    + " @OutboxHandler for it, or give it another destination."),
    HANDLER_AS_DESTINATION(
            "OBX-0134",
            "event %s goes to the destination '%s', which is a handler. A handler gets the events of its types by itself: remove the"
                    + " destination, or add the type to the annotation of the handler."),
    TOO_MANY_GENERATIONS(
            EventRefusedException::new,
            "OBX-0135",
            "event %s is refused: it is the end of a chain of %d messages, each of which was fired by the handler of the one before,"
                    + " so most likely handlers fire for each other without end. Let one of them fire only if something has"
                    + " changed."),

    BAD_CONFIGURATION("OBX-0201", "the outbox configuration is wrong:%s"),
    UNKNOWN_KEYS("OBX-0202", "configuration key(s) that have no effect: %s. Correct or remove them."),
    SERVICE_NOT_FOUND(
            "OBX-0203",
            "%s was not found under the JNDI name %s (key %s): %s. Define it in server.xml, and enable its feature (for a"
                    + " DataSource: jdbc); or correct the name."),
    DUPLICATE_TYPE(
            "OBX-0204",
            "event type '%s' is claimed by %s and by %s; consumers could not tell them apart. Give one of them another"
                    + " @OutboxEvent(type)."),
    CONFIGURATION_KEPT("OBX-0205", "the changed configuration is refused, and the previous one stays in force: %s"),
    NO_SERIALIZER(
            "OBX-0206",
            "nothing can serialize events: %s. Enable the feature jsonb in server.xml, or provide a bean of the type"
                    + " dev.cdioutbox.spi.OutboxSerializer."),
    AMBIGUOUS_BEANS(
            "OBX-0207",
            "several beans have the type %s: %s. The outbox needs one, so make one of them an alternative with a"
                    + " @Priority."),
    NOT_TRANSACTIONAL(
            "OBX-0208",
            "the DataSource %s (key %s) does not follow JTA transactions: a row written before the completion of a"
                    + " transaction was still there after its rollback, as events would be. On Open Liberty, remove"
                    + " transactional=\"false\" from the dataSource in server.xml; on GlassFish and Payara, set"
                    + " allow-non-component-callers of its pool; elsewhere, use a DataSource that joins JTA."),
    OTHER_DATA_SOURCE(
            "OBX-0209",
            "the persistence unit '%s' uses the DataSource %s, and the outbox uses %s (key outbox.datasource). If"
                    + " they differ, a transaction has two branches, and messages of one key may be stored in"
                    + " another order than their changes are committed. Use one DataSource for both."),
    TELEMETRY_INVISIBLE(
            "OBX-0210",
            "MicroProfile Telemetry is on, but the application does not see OpenTelemetry's API, so messages carry no trace,"
                    + " and OpenTelemetry gets no metrics."
                    + " Give it <classloader apiTypeVisibility=\"+third-party\"/> in server.xml."),
    UNKNOWN_OUTBOX(
            "OBX-0211",
            "event %s belongs to the outbox '%s', which is not configured (key outbox.outboxes.%s.datasource). Configured are"
                    + " %s."),
    OBSERVERS_REMOVED(
            "OBX-0214",
            "a CDI extension of the application has removed or changed the outbox's observers"
                    + " (ProcessObserverMethod), so events would be lost. Let it leave those of dev.cdioutbox"
                    + " alone."),
    OTHER_TABLES(
            "OBX-0215",
            "the DataSource %s (key outbox.dispatcher.datasource) does not lead to the tables of outbox.datasource, so nothing"
                    + " that is captured would be sent. Give both the same database and schema."),
    VERSIONS_DIFFER(
            "OBX-0216",
            "outbox-engine has version %s and %s version %s, but they work together only in the same version."
                    + " Put all jars of one version into WEB-INF/lib."),

    UNKNOWN_ROUTE(
            "OBX-0217",
            "the key outbox.routes.%s names an event type that no event class of the deployment has%s. Correct the key, or ignore"
                    + " this if the class is first seen when it is fired."),
    RESTART_NEEDED(
            "OBX-0218",
            "configuration key(s) changed that are read at start only: %s. Restart the application to apply them."),
    NO_DISPATCHER(
            "OBX-0219",
            "outbox.dispatcher.enabled is true, but this application has no %s, so no event for the destination '%s' would be"
                    + " sent. Put outbox-%s into WEB-INF/lib of the WAR (not into a shared library or EAR/lib),"
                    + " and enable the feature enterpriseBeansLite; or set outbox.dispatcher.enabled=false if this application"
                    + " only captures, or outbox.routes.*=local if all of its events are for handlers."),
    SHARED_APPLICATION(
            "OBX-0220",
            "the outbox.application '%s' is used in one database by this module, %s, and by %s. Each sends the"
                    + " others' messages, to its own destinations, and their consumers skip what one of the same"
                    + " name has handled. Unless this is intended, give each module a different outbox.application."),
    NO_CONFIG(
            "OBX-0221",
            "MicroProfile Config is missing: %s. On a server, enable the feature mpConfig in server.xml. In a test"
                    + " without a server, add the test kit (outbox-cdi with the classifier testing), which needs no"
                    + " configuration."),

    NO_SERVLETS(
            "OBX-0222",
            "the feature servlet is missing, so the web container cannot start a WAR with outbox-console (NoClassDefFoundError, in the"
                    + " folder logs/ffdc). Enable servlet in server.xml."),
    TABLES_AWAITED(
            "OBX-0223",
            "the tables of %s are not there yet. With outbox.schema=none the outbox waits for them, and refuses events. Let the"
                    + " application apply %s"),
    STORE_WAITS(
            OutboxUnavailableException::new,
            "OBX-0224",
            "outbox '%s' refuses all events for now: %s. It accepts them as soon as this is mended."),
    STORE_READY("OBX-0225", "outbox '%s': the tables are there. From now on, events are captured and sent."),
    ONLY_CAPTURES(
            "OBX-0226",
            "this application has no %s, so it only captures. Another application with the same tables and the same"
                    + " outbox.application has to send its events."),
    POOL_TOO_SMALL(
            "OBX-0227",
            "the pool of the DataSource %s has %d connection(s), and deliveries may hold %d at a time: three for each thread of"
                    + " each destination (outbox.dispatcher.concurrency). They and the application then wait for each other. Raise"
                    + " maxPoolSize of its <connectionManager> well above, or set outbox.dispatcher.datasource."),
    CLOCKS_DIFFER(
            "OBX-0228",
            "the clock of this server is %s s %s that of the database. Messages that the application delays are sent too early or"
                    + " too late, and occurredAt misleads consumers. Let both follow one time server (NTP)."),

    LETTERS_DAMAGED(
            "OBX-0232",
            "the DataSource %s (key %s) damages letters: %s. Payloads would be damaged without an error, and two keys become one."
                    + " Take each setting of a character set off its URL and properties (MySQL: characterEncoding and"
                    + " characterSetResults; SQL Server: sendStringParametersAsUnicode), or use a database that stores Unicode."),

    SECOND_BRANCH(
            "OBX-0233",
            "the reference to a DataSource in %s is not shareable. If it leads to the database of the outbox (%s), a transaction"
                    + " has two branches, and messages of one key may be stored in another order than their changes are committed."
                    + " Make the reference shareable."),

    DATABASE_NOT_SUPPORTED("OBX-0301", "there is no schema for the database %s %s (url %s); supported are %s."),
    DATABASE_FAILED(OutboxUnavailableException::new, "OBX-0302", "%s failed: %s."),
    SCHEMA_MISSING(
            "OBX-0303",
            "the tables of %s do not exist or are incomplete, and outbox.schema=validate creates none. Apply %s, or set"
                    + " outbox.schema=create."),
    SCHEMA_FAILED("OBX-0304", "the outbox schema could not be created: statement%n%s%nof %s failed: %s."),
    SETTLED_WRONG_COUNT(
            "OBX-0305",
            "%d message(s) were sent but %d settled; the delivery is rolled back. Another process changed rows of %s"
                    + " that were claimed here."),
    PARTITIONS_FIXED(
            "OBX-0306",
            "outbox.partitions is %d, but destination '%s' of application '%s' was created with %d. Another number would give"
                    + " keys other partitions, and so break their order: set it back."),
    UNREADABLE_ROW(
            "OBX-0307",
            "destination '%s': message %d cannot be read (%s). The others go on without it. Correct its row, then retry it."),
    SCHEMA_UNUSABLE(
            "OBX-0308",
            "the tables of %s cannot be used: %s. Another version of the outbox created them, or they were changed by hand. Add"
                    + " what is missing, as in %s, or deploy the version that created them."),
    OTHER_APPLICATIONS(
            "OBX-0309",
            "messages wait in %s for other applications: %s. This one is '%s' (outbox.application) and never sends them. If"
                    + " none of them runs elsewhere, the name was changed: set it back until they are sent."),
    SCHEMA_APPLIED("OBX-0310", "the tables of %s were created, in schema version %d."),
    DATABASE_UNTESTED(
            "OBX-0311",
            "%s %s: the outbox has a schema and statements for it, but no test of the project runs on it. Run the"
                    + " compliance kit before you rely on it."),
    LEASE_LOST(
            "OBX-0312",
            "a lease of %s ran out while its batch was delivered, and another node has %d of its %d partition(s) now."
                    + " Nothing is settled here; what was already sent is sent again."),
    READ_WATERMARK_QUERY_FAILED(
            "OBX-0315",
            "a query for the read watermarks failed (%s). Claims go on, but while it fails they may get slow, and"
                    + " requeued messages may wait."),
    GALERA(
            "OBX-0316",
            "this database is one server of a Galera cluster, whose servers do not share row locks. Let all nodes"
                    + " write to the same server; otherwise two of them may send the same messages, and out of"
                    + " order."),
    GAPS_LOCKED(
            "OBX-0318",
            "the DataSource's isolation is above READ COMMITTED: on %s, consumers of different messages, operators and dispatch"
                    + " then lock gaps, and end each other's transactions by deadlocks. Set isolationLevel=\"TRANSACTION_READ_COMMITTED\"."),
    PARTITIONS_PUT_BACK(
            "OBX-0320",
            "rows of %s were deleted, and %d are inserted again; what waits there is sent. If a test's table cleaner, a partial"
                    + " restore or a script deleted them, let it leave the outbox tables alone."),
    CONTROL_PUT_BACK(
            "OBX-0321",
            "the row of destination '%s' was gone from %s and is put back, %s. If a test's table cleaner, a partial"
                    + " restore or a script deleted it, let it leave the outbox tables alone."),
    UNOWNED_MESSAGES(
            "OBX-0322",
            "messages wait in queues that nobody reads, by destination: %s. The rows of their keys in %sblocked_key were deleted."
                    + " Retry the failed and abandoned messages: the others of their keys then follow."),
    ROW_SECURITY(
            "OBX-0324",
            "row-level security may hide rows of %s from the dispatcher, which then never sends them and does not count them."
                    + " Give its database user BYPASSRLS, or a policy that shows it all rows."),
    DATABASE_READ_ONLY(
            "OBX-0325",
            "the database is read-only, so no event can be stored and no message sent. Perhaps the DataSource leads to a"
                    + " standby after a failover."),
    ROWS_OUT_OF_ORDER(
            "OBX-0326",
            "destination '%s': the database returned message %d after message %d of queue %d, although the statement"
                    + " orders them. Nothing is sent, since keys would lose their order. Report this with the"
                    + " version of database and driver."),
    MESSAGE_MISPLACED(
            "OBX-0327",
            "destination '%s': message %d is for destination '%s', but waits in queue %d of this one, so it is"
                    + " abandoned. Rows were changed by hand or partly restored. Let destination and partition_id of the"
                    + " message name the same partition, and retry it."),

    MESSAGE_MISSING(
            "OBX-0330",
            "destination '%s': message %d waits, but its row in the message table was deleted, so its event can no"
                    + " longer be sent, and the queue row is abandoned. Restore the message row, or delete the"
                    + " queue rows without one."),

    XA_RECOVERY_REFUSED(
            "OBX-0328",
            "the database refuses to list prepared transactions to %s (%s). With exactly-once, messages that are in doubt after a"
                    + " crash would wait for ever. On MySQL: GRANT XA_RECOVER_ADMIN ON *.* TO the user of the DataSource."),

    AUTO_COMMIT_OFF(
            "OBX-0329",
            "the connections of the DataSource %s come with auto-commit off, so reads of the outbox would leave transactions open"
                    + " and nothing would be sent. Take autocommit=false off its URL or properties; JTA transactions do not need it."),
    SAME_HASH(
            "OBX-0355",
            "destination '%s' of application '%s' has the same hash as destination '%s' of application '%s', so both would use the"
                    + " same rows of %s. Rename one of them, or give its application another outbox.table-prefix."),
    DEVELOPMENT_TABLES(
            "OBX-0356",
            "the tables of %s are those of a version before the first release, for which there is no migration. Let that version"
                    + " send what waits; then drop the tables, or choose another outbox.table-prefix."),
    RIGHTS_MISSING(
            "OBX-0331",
            "the database user %s lacks rights on the tables, so that capture, delivery, the purge or an operation fails. Let the"
                    + " owner of the tables run: %s. No restart is needed."),
    CDC_UNSUPPORTED(
            "OBX-0332",
            "the destination(s) %s have transport=cdc, which is not possible with %s: %s. It needs PostgreSQL 15 or later; choose"
                    + " another transport."),
    CDC_SETUP(
            "OBX-0333",
            "nothing would send the messages of the destination(s) %s with transport=cdc: %s. Set it up as docs/howto/cdc.md"
                    + " does."),
    CDC_TOO_EARLY(
            "OBX-0334",
            "the destination(s) %s have transport=cdc now, but %s, and new messages would overtake what waits. Start with the"
                    + " previous transport until that is done, and switch as docs/howto/cdc.md does."),
    CDC_NOT_READ(
            "OBX-0335",
            "the replication slot '%s', by which the messages of the application '%s' for %s are sent, %s. They wait in the database's"
                    + " log, which grows:"
                    + " %s bytes now. Look at the connector and its log."),
    CDC_STARTED(
            "OBX-0336",
            "change data capture sends the messages of the destination(s) %s: it reads them from the database's log, by the"
                    + " publication and the replication slot '%s'."),
    CDC_FOREIGN_MESSAGE(
            "OBX-0350",
            "the connector of the application '%s' got the message %s of the application '%s', so it reads a publication of another"
                    + " application. It stops and sends nothing. Correct its publication.name or the application of its"
                    + " transformation."),
    CDC_TOO_LARGE(
            "OBX-0351",
            "an event of the type %s is refused: for the destination '%s' with transport=cdc it takes up to %d bytes, and the"
                    + " connector or the topic takes %d, so it would stop the connector for all destinations. Raise both limits, as"
                    + " docs/howto/cdc.md says; or put the data elsewhere, and its place into the event."),
    CDC_KEY_MISSING(
            "OBX-0352",
            "an event of the type %s is refused: it has no key, and the topic of the destination '%s' with transport=cdc is"
                    + " compacted, so it would stop the connector for all destinations. Give it a key, or another destination."),
    CDC_TOPIC_MISSING(
            "OBX-0353",
            "Kafka does not have the topic '%s' of the destination '%s' with transport=cdc. A message for it stops the connector for"
                    + " all destinations, while its task still runs. Create the topic, or correct its name here and in the"
                    + " connector's transforms.outbox.topics."),
    CDC_TOPICS_UNKNOWN(
            "OBX-0354",
            "the topics of the destination(s) %s with transport=cdc cannot be looked at: %s. Until they can, fire() does not know"
                    + " their limits, nor whether they exist. If the application cannot reach Kafka, remove"
                    + " outbox.kafka.bootstrap.servers."),
    CDC_NO_PAYLOAD(
            "OBX-0357",
            "the connector got the message %s without a payload, and a record without a value would delete its key from a compacted"
                    + " topic. It stops and sends nothing. Most likely, the publication does not have the column payload_binary: create"
                    + " it again by publication.sql."),

    NOT_UNICODE(
            "OBX-0340",
            "the DataSource %s leads to a database with the encoding %s. An event with a letter that this encoding lacks is refused"
                    + " at the commit, and in errors and names each letter outside of ASCII is stored as a question mark. Use a"
                    + " database with the encoding UTF8."),
    COMMITS_NOT_FORCED(
            "OBX-0341",
            "a commit on the DataSource %s does not wait for the disk (%s). If the database or its host crashes, the last"
                    + " transactions are lost, although their messages were sent, and their sequences are used again. Undo the"
                    + " setting where it is made: for the server, the database, the user or the session."),
    EVENT_NOT_STORABLE(
            EventRefusedException::new,
            "OBX-0344",
            "%d event(s) (%s) have a text that the database does not store, so their transaction is rolled back: %s. Most likely a"
                    + " letter is not in the encoding of the database. Leave it out, or use a database with the encoding UTF8."),
    PREPARED_FORBIDDEN(
            "OBX-0343",
            "the database allows no prepared transactions (max_prepared_transactions is 0). With at-least-once, the outbox sends"
                    + " without them, but a transaction that covers this database and a second resource fails at its commit,"
                    + " such as that of a message-driven bean. Set max_prepared_transactions to the number of all connections"
                    + " in the pools, and restart the database."),
    PACKET_TOO_SMALL(
            "OBX-0342",
            "the database of the DataSource %s takes statements of up to %d bytes (max_allowed_packet), but a payload of %d bytes"
                    + " (outbox.payload.max-size) may need %d. It breaks the connection of a statement that is too long, and the"
                    + " transaction fails. Raise max_allowed_packet, or lower outbox.payload.max-size."),

    DELIVERY_FAILED("OBX-0401", "destination '%s': delivery failed; its messages wait: %s."),
    DELIVERY_RESUMED("OBX-0402", "destination '%s': delivery works again after %d failed attempt(s)."),
    EXACTLY_ONCE_REFUSED(
            "OBX-0403",
            "destination '%s': exactly-once is not possible here, so its messages wait: %s. Unless that names another"
                    + " cause, let broker and database join XA transactions (type=\"javax.sql.XADataSource\";"
                    + " PostgreSQL: max_prepared_transactions > 0); or set"
                    + " outbox.dispatcher.delivery=at-least-once."),
    MESSAGE_ABANDONED("OBX-0405", "message %s (%s, key %s, destination '%s') is abandoned after %d attempt(s)."),
    MESSAGE_RETRIED("OBX-0406", "message %s (%s, key %s, destination '%s') failed and is tried again in %s."),
    DISPATCHER_STARTED("OBX-0407", "dispatcher %s: destinations %s, interval %s, delivery %s, claim by %s."),
    DISPATCHER_CHANGED("OBX-0408", "destination '%s': dispatcher.%s is now %s (was %s)."),
    STILL_FAILING("OBX-0409", "destination '%s': delivery has failed for %s, %d times: %s."),
    MESSAGE_EXPIRED(
            "OBX-0410", "message %s (%s, key %s, destination '%s') is not sent: its time to live was over at %s."),
    BATCH_SPLIT(
            "OBX-0411", "destination '%s': a batch of %d message(s) was rolled back and is delivered in parts: %s."),
    PURGE_FAILED(
            "OBX-0413",
            "messages or inbox ids that were kept long enough could not be removed. They stay, and the removal is"
                    + " tried again each minute: %s."),
    PURGE_RESUMED(
            "OBX-0414",
            "messages and inbox ids that were kept long enough are removed again after %d failed attempt(s)."),
    SINGLE_MESSAGE_DELIVERY(
            "OBX-0415",
            "destination '%s': an earlier process crashed. The messages that it may have been sending are first sent"
                    + " one by one, at most %d, to find one that crashes its process."),
    CRASHED_ITS_PROCESS(
            "OBX-0416",
            "the process that sent this message alone, after a crash, has crashed again. Find out why before you"
                    + " retry the message: see the last lines of the processes' logs, and their dumps"),
    SENT_BEFORE_DISCARD("OBX-0417", "message %s (%s, key %s, destination '%s') was sent before it was discarded."),
    DESTINATION_FULL(
            "OBX-0418",
            "destination '%s': the destination is full. The rest of the batch waits, and no message is"
                    + " charged: %s. Delivery is tried again at each interval."),
    GUARANTEE("OBX-0420", "destination '%s': %s%s, with %s and %s."),
    COMMIT_IN_DOUBT(
            "OBX-0421",
            "destination '%s': the commit of %d message(s) did not end (%s). Their keys wait until the transaction"
                    + " manager ends it; it tries again every heuristicRetryInterval."),
    COMMITTED_WITHOUT_BROKER(
            "OBX-0422",
            "destination '%s': %d message(s) are settled, but the broker could not be reached at their commit (%s)."
                    + " The transaction manager commits them there when it is back; until then, later messages of"
                    + " their keys may overtake them. A commit-priority on the connection factory's reference rules"
                    + " that out."),
    COMMIT_UNKNOWN(
            "OBX-0423",
            "the commit of %d message(s) failed, and the database cannot say now whether it took place. Only messages"
                    + " that were not committed are tried again"),
    TRANSACTION_TIMED_OUT(
            "OBX-0424",
            "the transaction was rolled back by its time-out of %d s, because the broker, the database or the handler is slow. If"
                    + " that lasts, raise totalTranLifetimeTimeout of <transaction> in server.xml"),
    IN_DOUBT(
            "OBX-0425",
            "destination '%s': %d message(s), the first one with sequence %d, have been locked for %s by a"
                    + " transaction that does not end, most likely one in doubt after a crash. Their keys wait."
                    + " Start the server that died, with its transaction log. If the log is lost, end the"
                    + " transaction by hand: see docs/howto/transactions-in-doubt.md."),
    IN_DOUBT_ENDED("OBX-0426", "destination '%s': no message is in doubt any more."),
    EVENT_OBSERVER_FAILED(
            "OBX-0427",
            "an observer of the application failed with the event %s: %s. Dispatch goes on. Failures of the next minute are not"
                    + " logged."),
    EVENTS_LOST(
            "OBX-0428",
            "%d event(s) for observers of the application are lost, %s among them: more than %d were waiting. The messages"
                    + " themselves are not affected. Let the observers return sooner."),
    SHADOWING_BEGINS(
            "OBX-0431",
            "destination '%s': shadowing begins. Its messages go %s, and are marked; nothing is sent to it."),
    SHADOWING_ENDED(
            "OBX-0432",
            "destination '%s': shadowing ended on this node. The highest shadowed sequence is %s; messages with a higher one go"
                    + " to the destination, or wait while the dispatcher is off."),
    UNSERVED_DESTINATIONS(
            "OBX-0433",
            "outbox '%s': messages wait for %s, which this node does not serve; it serves %s. If no other node does, a"
                    + " destination was removed from the configuration or renamed: configure it again until its messages are"
                    + " sent."),
    MESSAGES_ABANDONED(
            "OBX-0442",
            "%s message(s) are abandoned in the outbox '%s', among them %s. They are sent only if you retry them. Their last errors"
                    + " are in the console and in the view outbox_message_view: remove the cause, then retry or discard them."),
    LISTENER_FAILED(
            "OBX-0434",
            "%s failed: %s. Messages go on; metrics, health data or log lines may miss this step. The fault is in the"
                    + " outbox or in the server's metrics: report it with this stack trace."),
    PROBE_NOT_COMMITTED(
            "OBX-0435",
            "a transaction of broker and database cannot be committed even without a message: %s. No message is"
                    + " charged. If this line does not name the cause, see the server's lines before it, and the"
                    + " database's log"),
    FEW_PREPARED_TRANSACTIONS(
            "OBX-0436",
            "outbox '%s': the database allows %d prepared transactions, and %d may be needed at a time, for %d node(s) with %d"
                    + " sending thread(s) each (the concurrency of all destinations). Commits that find none are refused, and tried again."
                    + " Raise max_prepared_transactions to the number of all connections in the pools."),
    SERIALIZABLE(
            "OBX-0437",
            "the isolation of the DataSource is SERIALIZABLE: %s then refuses commits of transactions that run at the same time,"
                    + " those of the outbox and of its consumers too. Set isolationLevel=\"TRANSACTION_READ_COMMITTED\"."),
    BROKER_SILENT(
            "OBX-0438",
            "destination '%s': a thread has waited for %s for the broker, the database or the handler: to connect, to open a session,"
                    + " to send, to handle or to commit. Nothing fails, and the messages of its partitions wait. Look at the broker, or"
                    + " at what the handler waits for; if the call never returns, restart this server."),
    PUBLISHER_JOINS_NO_TRANSACTION(
            "OBX-0439",
            "the publisher %s neither joins JTA transactions (joinsTransactions() is false) nor writes markers, so a rollback or a"
                    + " crash could deliver messages twice. Set outbox.dispatcher.delivery=at-least-once"),
    OWNERSHIP_LOST(
            "OBX-0445",
            "destination '%s': another node has taken the destination over while this one was sending. This one settles nothing, and"
                    + " the other one what was committed; if that repeats, look for connections to the database that break."),
    MARKER_LOST(
            "OBX-0443",
            "the markers of the destination '%s' do not fit the database, which has settled batch %d; the last marker is"
                    + " that of %s. The topic of the markers was deleted, emptied or exchanged, the database restored, or rows of"
                    + " outbox_partition deleted, so the outbox cannot know whether the batch after that was sent, and sends"
                    + " nothing until an operator decides"),
    SETTLED_BY_MARKER(
            "OBX-0444",
            "destination '%s': batch %d was committed by the broker, but not settled by the process that sent it. Of its messages,"
                    + " %d are settled now, and %d were discarded by an operator meanwhile: consumers get these, too."),
    OWNED_ELSEWHERE(
            "OBX-0446",
            "destination '%s': the database session of another node has held it for %s and settled nothing, so its messages wait."
                    + " Most likely that node is suspended, or waits for its broker. Find it by its old heartbeat or by its log;"
                    + " resume or restart it, or end its session in the database."),
    UPKEEP_FAILED(
            "OBX-0447",
            "destination '%s': messages are sent, but delayed messages that are due, or followers of failed ones, cannot be moved"
                    + " and wait: %s (%d time(s) since the last such line). The outbox tries again with each batch. If this repeats,"
                    + " look at the rights of the dispatcher's database user and at locks on the queue table."),
    LEASE_NOT_RENEWED(
            "OBX-0448",
            "outbox '%s': leases of batches in flight could not be renewed: %s (%d time(s) since the last such line). The outbox"
                    + " tries again each second; a lease that runs out meanwhile lets another node send the same batch."
                    + " Look at the database and at the network between it and this node."),
    FOREIGN_TOKEN(
            "OBX-0449",
            "destination '%s': its fencing_token in outbox_partition is '%s', which this version of the outbox has not written."
                    + " It was changed by hand, or by a newer version. Nobody knows which batch was settled last, so nothing is sent."
                    + " Restore the former text. If it is lost, find out what was sent, and set it to NULL"),
    DESTINATION_FAILING(
            "OBX-0450",
            "destination '%s' may be at fault: message %s failed (%s), a probe succeeds, and this node has delivered no other message"
                    + " there since the message last failed. Messages without attempts left are not abandoned, but tried again, this"
                    + " one in %s. Look at this node, and at the broker or the handler; after the repair, retry the messages. If only"
                    + " the message is at fault, discard it."),
    CRASHES_STOP_DESTINATION(
            "OBX-0451",
            "destination '%s': the message with sequence %d crashes the processes that send it, another one was abandoned for"
                    + " that, and nothing was delivered in between. The node may be at fault, for example a native library, so"
                    + " nothing is sent there. Repair the node, and then retry or discard the message"),
    SKIP_IN_DOUBT(
            "OBX-0452",
            "destination '%s': message %s with sequence %d has no attempt left (%s), and was to be abandoned by the transaction that"
                    + " sends its follower, but the end of that commit is not known. If it commits, the message is abandoned without"
                    + " another line; otherwise it is tried again. Look at its status."),
    HANDLER_CANNOT_READ(
            "OBX-0460",
            "the handler %s cannot read the message: %s. Correct the class of its parameter, or the versions of its annotation, and then"
                    + " retry the message"),
    HANDLER_FAILED("OBX-0461", "the handler %s failed"),
    HANDLER_ROLLS_BACK(
            "OBX-0462",
            "the handler %s ended without an exception, but its transaction is marked for rollback, so its work cannot be committed."
                    + " Let it throw the exception that it has caught"),
    HANDLER_ENDED_TRANSACTION(
            "OBX-0463",
            "the handler %s has ended the transaction in which the outbox called it, so its work would not be committed together with"
                    + " the message. Leave the transaction to the outbox"),
    HANDLER_MISSING("OBX-0464", "this node has no handler '%s', so its messages wait"),
    NO_SUCH_HANDLER(
            "OBX-0470",
            "the inbox got message %s for the handler '%s', but %s. Correct the name in accept(), which is that of an @OutboxHandler; there"
                    + " are %s."),
    NOT_ACCEPTED(
            EventRefusedException::new,
            "OBX-0471",
            "message %s for the handler '%s' cannot be stored: %s. If it comes from another sender, describe it by a ForeignMessage."),
    ACCEPTED_LATE(
            "OBX-0472",
            "message %s for the handler '%s' (key %s, sequence %d) is set aside: %s. Look whether its work is still wanted, then retry or"
                    + " discard it."),
    CONSUMER_PAUSED(
            "OBX-0473",
            "the message-driven bean %s is paused, because outbox '%s' cannot be used: %s. Its messages wait in their queue, and use up"
                    + " no redelivery. It goes on by itself within ten seconds after the database is back."),
    CONSUMER_RESUMED(
            "OBX-0474", "the message-driven bean %s receives messages again, because outbox '%s' can be used."),
    CONSUMER_NOT_SWITCHED(
            "OBX-0475",
            "the message-driven bean %2$s cannot be %1$s: %3$s. Look at its <jmsActivationSpec> and at the broker. If it still"
                    + " receives nothing, restart the application."),
    BROKER_ID_UNKNOWN(
            "OBX-0440",
            "destination '%s': the publisher cannot tell the broker's id of message %s (%s). The message is sent, and stored"
                    + " without that id; %d such message(s) since the last line."),
    NODE_VERSIONS_DIFFER(
            "OBX-0441",
            "outbox '%s': its nodes have different versions of the outbox: %s. That is expected only while an update goes on:"
                    + " otherwise, bring all nodes to one version."),

    JMS_DESTINATION_NOT_FOUND(
            "OBX-0501",
            "destination '%s' has no JMS destination under the JNDI name %s (key %s); correct the key if the name is"
                    + " wrong or outdated, or define the name in server.xml, with the feature of its broker (messagingClient, or"
                    + " connectors for a resource adapter)"),
    JMS_UNAVAILABLE("OBX-0502", "the JMS provider of destination '%s', or its queue or topic there, cannot be used"),
    JMS_SEND_FAILED("OBX-0503", "JMS refused message %s for destination '%s'"),
    NOT_CONFIGURED(
            "OBX-0504", "destination '%s' is no longer configured; its messages wait until it is configured again"),
    CONSUMER_REFUSED("OBX-0505", "%s cannot be an idempotent consumer: %s."),
    CONSUMED_OUTSIDE_TRANSACTION(
            "OBX-0506",
            "consumer '%s' received message %s without an active transaction (status %d), in which its id would be"
                    + " stored together with the work. Give the method a container-managed transaction."),
    NO_MESSAGE_ID(
            "OBX-0507",
            "consumer '%s' received a message that it cannot tell from others: %s. Let its sender set the property"
                    + " messageId."),
    CONSUMER_NAMED_TWICE(
            "OBX-0508",
            "several classes are the consumer '%s': %s. What one of them has handled, the others skip. If each should"
                    + " handle every message, give them different names."),
    DUPLICATE_SKIPPED(
            "OBX-0509",
            "consumer '%s': message %s was handled before and is acknowledged; action skipped_duplicate. %d such"
                    + " message(s) since the last line."),
    MESSAGE_OVERTAKEN(
            "OBX-0510",
            "consumer '%s': message %s (key %s, sequence %d) was overtaken by a later one of its key and is acknowledged;"
                    + " action skipped_stale."),
    EVENT_UNEXPECTED(
            EventRefusedException::new,
            "OBX-0511",
            "message %s (%s, version %d) is not what this consumer can read: %s."),
    EVENT_UNREADABLE(EventRefusedException::new, "OBX-0512", "message %s (%s) cannot be read: %s."),
    EVENT_BINARY(
            EventRefusedException::new,
            "OBX-0548",
            "message %s (%s) has a binary payload (%s), and its consumer reads a text. Read ReceivedEvent.bytes() with the library"
                    + " of its format, or let the sender's serializer return a text."),
    CAUSES_UNKNOWN(
            "OBX-0514",
            "%s: a message-driven bean with a final method cannot be intercepted, so the events of message-driven beans in this"
                    + " application do not name their cause. Make the method non-final."),
    CONSUMED_IN_OTHER_TRANSACTION(
            "OBX-0515",
            "consumer '%s' passed message %s to a method of the same consumer with a separate transaction, whose work"
                    + " would stay if the message were rolled back. Let that method join its caller's transaction."),
    MESSAGE_DRIVEN_IGNORED(
            "OBX-0516",
            "the feature mdb is missing, so the message-driven bean(s) %s receive no message. Enable mdb in server.xml."),
    JMS_NOT_MANAGED(
            "OBX-0517",
            "the sessions of the connection factory %s do not join JTA transactions, most likely because no container"
                    + " manages it. Define it with a resource adapter: in server.xml as a jmsConnectionFactory or a"
                    + " connectionFactory"),

    SEQUENCE_BEGAN_AGAIN(
            "OBX-0520",
            "consumer '%s': message %s (key %s, sequence %d) was stored later than the last one of its key, but has a lower"
                    + " sequence, so the sequence of its sender has begun again. It is rolled back, not skipped. If the sender's"
                    + " MAX(seq) of outbox_message is below the consumer's MAX(last_sequence) of outbox_inbox_key, delete the"
                    + " consumer's rows there, and bring back what was put aside; otherwise discard the message."),
    KEY_FORGOTTEN(
            "OBX-0525",
            "consumer '%s' has forgotten the last message of the key %s, so it cannot tell whether message %s (sequence %d) is late:"
                    + " what it handled longer than outbox.retention.inbox ago had higher sequences. The message is rolled back, not"
                    + " skipped. Look whether it is the latest of its key, then let it in or discard it."),

    DEAD_LETTERS_UNAVAILABLE(
            "OBX-0522",
            "the dead letter queue '%s' cannot be used: %s. Nothing was changed. Check the broker, and the settings"
                    + " %s.jndi and .connection-factory."),
    NOT_SENT_BACK(
            "OBX-0523",
            "dead letters that stay in the queue '%2$s': %1$d. Either the broker does not say from which queue they came, or that"
                    + " queue is gone. Define the queue again, or replay those messages that the outbox still has, and discard"
                    + " their dead letters."),
    DEAD_LETTERS_WITHOUT_ID(
            "OBX-0526",
            "dead letters without a JMSMessageID that stay in the queue '%2$s': %1$d. The outbox takes a letter off its queue by"
                    + " this id, which their sender has left out. Move or delete them with the tools of the broker."),

    DEAD_LETTERS_WAIT(
            "OBX-0524",
            "dead letters of consumers in the queue '%2$s': %1$s. They are handled only if you send them back. Look at their"
                    + " reasons in the console, mend the consumer, then send them back or discard them."),

    LIBERTY_LOG_TOO_SMALL(
            EventRefusedException::new,
            "OBX-0540",
            "%s has %d bytes, but the log of Liberty's messaging takes messages of up to %d bytes, and could not end the"
                    + " transaction of a larger one. Raise cdioutbox.messaging.log.megabytes and restart the server, or send a"
                    + " reference instead of the content"),
    LIBERTY_STORE_FULL(
            "OBX-0541",
            "the message store of Liberty's messaging is full. Raise cdioutbox.messaging.store.megabytes, of which persistent"
                    + " messages can use half, and restart the server: less in its queues need not be enough"),
    MESSAGE_DRIVEN_DEAF(
            "OBX-0542",
            "the message-driven bean(s) %s receive nothing. If somebody has paused them, or autoStart is false (CNTR4116I), resume"
                    + " them: server resume --target=, with the name as it stands here. If their queue or <jmsActivationSpec> was missing"
                    + " (CNTR4015W, CNTR4016W), correct server.xml, then take the <jmsActivationSpec> out, save, and put it back. With a"
                    + " correct server.xml, a restart of the server helps as well."),

    KAFKA_UNAVAILABLE(
            "OBX-0531",
            "Kafka cannot be used for the destination '%s': no broker answers at %s, it refuses the user or a setting, or it"
                    + " has no topic %s"),
    KAFKA_SEND_FAILED("OBX-0532", "Kafka refused message %s for the destination '%s'"),
    KAFKA_BATCH_FAILED("OBX-0533", "Kafka refused a transaction for the destination '%s'"),
    KAFKA_TOO_LARGE(
            "OBX-0534",
            "message %s takes up to %d bytes, and the topic %s takes %d. Raise max.message.bytes of the topic and, above a"
                    + " megabyte, outbox.kafka.max.request.size; or put the data elsewhere, and its place into the event"),
    NO_KAFKA_CLIENT(
            "OBX-0535",
            "outbox-kafka is in this application, but Kafka's client cannot be used (%s). Put org.apache.kafka:kafka-clients"
                    + " and org.slf4j:slf4j-api into WEB-INF/lib."),

    MARKER_TOPIC_UNUSABLE(
            "OBX-0536",
            "exactly-once needs the topic '%s' for its markers, with cleanup.policy=compact; it has %s. Create it, with as many"
                    + " replicas as the topics of the messages; outbox.kafka.marker.topic has its name"),
    MARKER_HIDDEN(
            "OBX-0537",
            "exactly-once cannot read the last marker of the destination: in partition %d of the topic '%s', a transaction is open, of %s."
                    + " It ends with its time-out at the latest. Let nobody but the outbox write to this topic; if the"
                    + " producer is dead, kafka-transactions ends its transaction at once"),

    UNKNOWN_PAUSE(
            UnknownNameException::new,
            "OBX-0601",
            "there is no destination '%s' to pause or resume; * means all destinations."),
    OPERATION_DONE("OBX-0602", "%s by %s changed %d: %s."),
    NO_SUCH_OUTBOX(UnknownNameException::new, "OBX-0603", "there is no outbox '%s'; configured are %s."),
    BACKFILL_UNKNOWN(
            UnknownNameException::new,
            "OBX-0604",
            "there is no destination '%s' to backfill, or to backfill from; configured are %s."),
    BACKFILL_RUNS("OBX-0605", "destination '%s' is being backfilled already. Wait until that ends, or cancel it."),
    BACKFILL_ENDED(
            "OBX-0606",
            "the backfill of destination '%s' from '%s' has ended: %d copied, %d there already, %d skipped. Newer messages"
                    + " are sent now."),
    BACKFILL_FAILED(
            "OBX-0607",
            "the backfill of destination '%s' could not be continued: %s. It is tried again every 10 s; until it ends, newer"
                    + " messages of the destination wait."),
    FINDINGS(
            "OBX-0608",
            "findings in the outbox '%s' after the start: %d. OutboxOperations.diagnose() and the console look again:%s"),
    CDC_OPERATION(
            "OBX-0609",
            "the destination '%s' has transport=cdc, which sends what is committed, at once and once, so nothing can %s it."
                    + " To send a message again, replay it as new; to stop sending, stop the connector."),
    CONSOLE_OPENED("OBX-0611", "the console is at %s/ for users with the role %s."),
    CONSOLE_PATH_TAKEN(
            "OBX-0612",
            "the console is not served, because the application has a servlet or files at %s. Set outbox.console.path"
                    + " to a free path."),
    CONSOLE_FAILED("OBX-0613", "the console could not answer %s %s: %s. The answer has the id %s."),
    CONSOLE_UNPROTECTED(
            "OBX-0614",
            "the console refuses all users, because the server does not authenticate them. Enable the feature"
                    + " appSecurity in server.xml, and give users or groups the role %s."),
    REQUEST_REFUSED("OBX-0615", "the console refused %s %s: %s"),
    NO_CONSOLE(
            "OBX-0616",
            "outbox.console.enabled is true, but this application has no console. Put outbox-console into WEB-INF/lib of the"
                    + " WAR, or remove the key."),

    RATE_HOLDS_BACK(
            "OBX-0640",
            "destination '%s' is held back by its rate: this node may send it %d message(s) a second, and the oldest message has"
                    + " waited for %s. If more are captured, the wait only grows. Raise %s, or the outbox.dispatcher.rate that it"
                    + " inherits, which takes effect at once; or wait until the backlog is sent."),

    MASK_FAILED(
            "OBX-0650",
            "the payload mask %s failed for an event of type %s with %s, so the console hides the payload. Correct the mask.");

    private static final Pattern CODE = Pattern.compile("OBX-\\d{4}");

    private final Kind kind;
    private final String code;
    private final String format;

    OutboxCode(String code, String format) {
        this(OutboxException::new, code, format);
    }

    OutboxCode(Kind kind, String code, String format) {
        this.kind = kind;
        this.code = code;
        this.format = format;
    }

    public String code() {
        return code;
    }

    /** The text for a log line, which begins with the code. */
    public String text(Object... args) {
        return finding(args).toString();
    }

    public Finding finding(Object... args) {
        return new Finding(code, filled(args));
    }

    /** What the line of a code says whatever it is about, with an ellipsis for each argument; empty for another code. */
    public static Optional<String> general(String code) {
        return Arrays.stream(values())
                .filter(known -> known.code.equals(code))
                .map(known -> known.format
                        .replaceAll("%(\\d\\$)?[sd]", "…")
                        .replace("%%", "%")
                        .replace("%n", "\n"))
                .findFirst();
    }

    /**
     * A line without what its arguments may tell to those who may not know it: the code, and what it says of all. Empty for a text
     * that does not begin with a code.
     */
    public static Optional<String> withoutArguments(String line) {
        Matcher code = CODE.matcher(line);
        return code.lookingAt()
                ? Optional.of(code.group() + ": " + general(code.group()).orElse("…"))
                : Optional.empty();
    }

    /** With the digits of no language, and in one line whatever the arguments are: a program may read the line. */
    private String filled(Object... args) {
        return String.format(
                Locale.ROOT,
                format,
                Arrays.stream(args).map(OutboxCode::readable).toArray());
    }

    private static Object readable(Object arg) {
        if (arg instanceof Number || arg instanceof Lines) {
            return arg;
        }
        if (!(arg instanceof Duration duration)) {
            return OneLine.of(String.valueOf(arg));
        }
        BigDecimal seconds = BigDecimal.valueOf(duration.toMillis() % 60_000, 3).stripTrailingZeros();
        String text = part(duration.toDays(), "d")
                + part(duration.toHoursPart(), "h")
                + part(duration.toMinutesPart(), "min")
                + (seconds.signum() == 0 ? "" : seconds.toPlainString() + " s");
        return text.isEmpty() ? "0 s" : text.strip();
    }

    private static String part(long number, String unit) {
        return number == 0 ? "" : number + " " + unit + " ";
    }

    public OutboxException exception(Object... args) {
        return exception((Throwable) null, args);
    }

    public OutboxException exception(Throwable cause, Object... args) {
        return kind.exception(code, filled(args), cause);
    }

    /** The class of the exception, which tells a caller what to do. */
    private interface Kind {
        OutboxException exception(String code, String text, Throwable cause);
    }
}
