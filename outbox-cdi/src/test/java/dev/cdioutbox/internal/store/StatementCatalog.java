package dev.cdioutbox.internal.store;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.cdioutbox.internal.store.admin.ControlTable;
import dev.cdioutbox.internal.store.admin.JdbcOperatorStore;
import dev.cdioutbox.internal.store.admin.MessageFinder;
import dev.cdioutbox.internal.store.audit.AuditTable;
import dev.cdioutbox.internal.store.backlog.BacklogStatements;
import dev.cdioutbox.internal.store.blockedkey.BlockedKeyStatements;
import dev.cdioutbox.internal.store.claim.PartitionLock;
import dev.cdioutbox.internal.store.delayed.DelayedQueueStatements;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.inbox.JdbcInbox;
import dev.cdioutbox.internal.store.lease.LeaseTable;
import dev.cdioutbox.internal.store.node.NodeTable;
import dev.cdioutbox.internal.store.sql.OutboxStatements;
import dev.cdioutbox.internal.store.sql.PartitionIds;
import dev.cdioutbox.internal.store.watermark.CommitWatermark;
import dev.cdioutbox.internal.store.watermark.ReadWatermark;

/** All SQL statements of the outbox for a dialect, collected by reflection: a new statement cannot be forgotten. */
public final class StatementCatalog {
    private StatementCatalog() {}

    /** The statements by the names of their fields; {@code %s} is in the place of a list of parameters. */
    public static Map<String, String> of(String prefix, Dialect dialect) {
        ReadWatermark watermark = ReadWatermark.of(prefix, dialect, System::nanoTime);
        Map<String, String> statements = new TreeMap<>();
        List<Object> holders = new ArrayList<>(List.of(
                new OutboxStatements(prefix, dialect),
                new PartitionLock("shop", prefix, dialect, new PartitionIds(Map.of()), watermark),
                BacklogStatements.of(prefix, dialect),
                new MessageFinder("shop", prefix, dialect, MessageFinder.ROWS),
                new AuditTable("shop", prefix, dialect),
                new NodeTable("shop", prefix, dialect),
                new ControlTable("shop", prefix, dialect),
                new JdbcOperatorStore(null, "shop", prefix, dialect, null, watermark),
                new JdbcInbox(null, "shop", prefix, dialect),
                new BlockedKeyStatements(prefix, dialect),
                new DelayedQueueStatements(prefix, dialect),
                new LeaseTable(prefix, dialect)));
        if (dialect.hasReadWatermark()) {
            holders.add(watermark);
            holders.add(new CommitWatermark(prefix));
        }
        for (Object holder : holders) {
            for (Field field : holder.getClass().getDeclaredFields()) {
                if (!Modifier.isStatic(field.getModifiers())) {
                    collect(
                            statements,
                            holder.getClass().getSimpleName() + "." + field.getName(),
                            value(field, holder));
                }
            }
        }
        return statements;
    }

    private static void collect(Map<String, String> statements, String name, Object value) {
        // Some of the holders also have a name, which is one word.
        if (value instanceof String text && text.contains(" ")) {
            statements.put(name, text);
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, text) -> collect(statements, name + "." + key, text));
        } else if (value instanceof Collection<?> all) {
            int number = 0;
            for (Object one : all) {
                collect(statements, name + "." + number++, one);
            }
        }
    }

    private static Object value(Field field, Object holder) {
        try {
            field.setAccessible(true);
            return field.get(holder);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
