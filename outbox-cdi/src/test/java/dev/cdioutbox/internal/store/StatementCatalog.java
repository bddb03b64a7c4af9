package dev.cdioutbox.internal.store;

import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All statements that the outbox has for a dialect: by reflection, so that none is forgotten that is added later. */
final class StatementCatalog {
    private StatementCatalog() {}

    /**
     * By the names of the fields that hold them; lists of parameters are left open.
     *
     * @param floors whether in the form that begins above what is known to be empty
     */
    static Map<String, String> of(String prefix, Dialect dialect, boolean floors) {
        Map<String, String> statements = new TreeMap<>();
        List<Object> holders = new ArrayList<>(List.of(
                new Statements(prefix, dialect),
                new PartitionStatements(prefix, dialect, floors),
                floors ? BacklogStatements.withFloors(prefix, dialect) : BacklogStatements.of(prefix, dialect),
                new FinderStatements(prefix, dialect),
                new AuditStatements(prefix, dialect),
                new NodeStatements(prefix, dialect),
                new OperationStatements(prefix, dialect),
                new InboxStatements(prefix, dialect),
                new GateStatements(prefix, dialect, floors),
                new PromotionStatements(prefix, dialect, floors),
                new LeaseStatements(prefix, dialect)));
        if (floors) {
            holders.add(new Survey(prefix, dialect));
            holders.add(new Writers(prefix));
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
        if (value instanceof String text) {
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
