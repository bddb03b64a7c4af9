package dev.cdioutbox.internal.operate;

import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import dev.cdioutbox.internal.code.OutboxCode;
import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.config.DispatcherConfig.Guarantee;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.operate.OutboxFinding;
import dev.cdioutbox.operate.OutboxNode;

/**
 * What must be done before production, in the order of docs/production.md. A finding of the {@link Doctor} shows what is not done.
 * Without one, a line is done only if somebody has looked: the outbox, or else a person.
 */
enum ChecklistLine {
    RIGHTS(
            "The database user has the rights that the outbox needs",
            facts -> facts.config.store().dispatchingDataSource() == null,
            OutboxCode.RIGHTS_MISSING,
            OutboxCode.ROW_SECURITY,
            OutboxCode.DATABASE_READ_ONLY),
    PREPARED_TRANSACTIONS(
            "The database allows enough prepared transactions",
            facts -> true,
            OutboxCode.EXACTLY_ONCE_REFUSED,
            OutboxCode.PREPARED_FORBIDDEN,
            OutboxCode.FEW_PREPARED_TRANSACTIONS,
            OutboxCode.XA_RECOVERY_REFUSED),
    KEEPALIVE("The database ends the connections of a host that has died", facts -> false),
    TRANSACTION_LOG(
            "The transaction log is on durable storage, and its server finds it again",
            facts -> !mayNeedTransactionLog(facts.config)),
    DATABASE_DURABILITY(
            "A commit of the database is on its disk", facts -> facts.tellsDurability, OutboxCode.COMMITS_NOT_FORCED),
    BROKER_DURABILITY("A message that the broker has confirmed is on its disk", facts -> false),
    RETENTION("Settled messages are removed after the retention that you want", facts -> facts.nodes.stream()
            .anyMatch(OutboxNode::isAlive)),
    DISK("Somebody is told before a disk is full", facts -> false),
    ALERTS("The alerts are loaded, and reach a person", facts -> false),
    ROLES(
            "Only those who need it have a role of the console",
            facts -> !facts.config.console().enabled()),
    DEAD_LETTERS(
            "The dead letter queues of the consumers are watched",
            facts -> !facts.config.console().deadLetters().isEmpty(),
            OutboxCode.DEAD_LETTERS_UNAVAILABLE),
    RESTORE("A restore of database and broker was rehearsed", facts -> false);

    private final String text;
    private final Predicate<Facts> isSeen;
    private final List<String> codes;

    /**
     * @param isSeen whether the outbox would have a finding if this were not done
     * @param codes of the findings that show that it is not done
     */
    ChecklistLine(String text, Predicate<Facts> isSeen, OutboxCode... codes) {
        this.text = text;
        this.isSeen = isSeen;
        this.codes = Arrays.stream(codes).map(OutboxCode::code).toList();
    }

    String text() {
        return text;
    }

    /** A handler needs it if it works on a second resource, which nobody sees. */
    private static boolean mayNeedTransactionLog(OutboxConfig config) {
        return config.dispatch().entrySet().stream().anyMatch(each -> {
            DestinationConfig destination = config.destinations().get(each.getKey());
            return destination.isLocal()
                    || destination.canUseXa() && each.getValue().dispatcher().delivery() == Guarantee.EXACTLY_ONCE;
        });
    }

    /** The answers to all lines. */
    static List<ChecklistAnswer> answers(Facts facts) {
        return Arrays.stream(values()).map(line -> line.answer(facts)).toList();
    }

    private ChecklistAnswer answer(Facts facts) {
        List<String> found = facts.findings.stream()
                .map(OutboxFinding::code)
                .filter(codes::contains)
                .distinct()
                .collect(Collectors.toList());
        return new ChecklistAnswer(text, found.isEmpty() ? unlessFound(facts) : ChecklistAnswer.NOT_DONE, found);
    }

    private String unlessFound(Facts facts) {
        return facts.isStoreRead && isSeen.test(facts) ? ChecklistAnswer.DONE : ChecklistAnswer.YOURS;
    }

    /**
     * What the outbox knows.
     *
     * @param isStoreRead whether the tables could be read
     * @param tellsDurability whether the database tells if a commit is on its disk
     */
    record Facts(
            OutboxConfig config,
            List<OutboxFinding> findings,
            List<OutboxNode> nodes,
            boolean isStoreRead,
            boolean tellsDurability) {}
}
