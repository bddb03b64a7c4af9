package dev.cdioutbox.internal.store;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.Collection;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

import dev.cdioutbox.internal.config.StoreConfig;
import dev.cdioutbox.internal.config.StoreConfig.Ordering;
import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.capture.InsertStatements;
import dev.cdioutbox.internal.store.capture.MessageInsert;
import dev.cdioutbox.internal.store.claim.ClaimStatements;
import dev.cdioutbox.internal.store.dialect.Dialect;
import dev.cdioutbox.internal.store.open.UnopenedStore;
import dev.cdioutbox.internal.store.settle.SettlementWriter;
import dev.cdioutbox.internal.store.sql.Sql;
import dev.cdioutbox.internal.store.sql.Texts;

/**
 * All SQL statements of the outbox for a dialect, collected by reflection from the objects that a store consists of: a
 * new statement cannot be forgotten, wherever it is.
 */
public final class StatementCatalog {
    private static final String STORE = "dev.cdioutbox.internal.store.";

    private final Map<String, String> statements = new TreeMap<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private final Sql sql;

    private StatementCatalog(Sql sql) {
        this.sql = sql;
    }

    /** The statements by the names of their fields; {@code %s} is in the place of a list of parameters. */
    public static Map<String, String> of(String prefix, Dialect dialect) {
        StoreConfig config =
                new StoreConfig("", SchemaMode.NONE, prefix, "shop", 1, Ordering.ROW_LOCK, null, StoreConfig.Cdc.NONE);
        StatementCatalog catalog = new StatementCatalog(new Sql(prefix, dialect));
        catalog.collect("store", UnopenedStore.of(config, dialect));
        return catalog.statements;
    }

    private void collect(String name, Object value) {
        // A text without a blank is a name; a condition is missing after WHERE, so that text is a part of a statement.
        if (value instanceof String text && text.contains(" ") && !text.endsWith(" WHERE")) {
            statements.put(name, marks(text));
        } else if (value instanceof Map<?, ?> map) {
            map.forEach((key, one) -> collect(name + "." + key, one));
        } else if (value instanceof Collection<?> all) {
            int number = 0;
            for (Object one : all) {
                collect(name + "." + number++, one);
            }
        } else if (value != null && hasStatements(value.getClass()) && seen.add(value)) {
            if (value instanceof MessageInsert) {
                // Built for the columns that a transaction fills.
                statements.putAll(InsertStatements.of(sql));
            }
            if (value instanceof SettlementWriter settlements) {
                // Built for the number of the broker's ids.
                statements.put(value.getClass().getSimpleName() + ".move", marks(settlements.moveStatement(0)));
            }
            // Built for the number of queues.
            ClaimStatements.ofReader(value, 1, 100).ifPresent(text -> statements.put("PageReader.statement", text));
            for (Class<?> type = value.getClass(); type != Object.class; type = type.getSuperclass()) {
                collectFields(type, value);
            }
        }
    }

    private void collectFields(Class<?> type, Object holder) {
        for (Field field : type.getDeclaredFields()) {
            if (!Modifier.isStatic(field.getModifiers())) {
                collect(type.getSimpleName() + "." + field.getName(), value(field, holder));
            }
        }
    }

    /** As the database gets the statement, with {@code %s} in the place of a list. */
    static String marks(String text) {
        return text.replaceAll("IN \\(:[a-z]\\w*\\)", "IN (%s)").replaceAll("(?<!:):[a-z]\\w*", "?");
    }

    /** A dialect has parts of statements only, and the names of its databases. Texts have what has been built by then. */
    private static boolean hasStatements(Class<?> type) {
        return type != Sql.class
                && type != Texts.class
                && type.getName().startsWith(STORE)
                && !type.getName().startsWith(STORE + "dialect.")
                && !type.isHidden()
                && !type.isEnum();
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
