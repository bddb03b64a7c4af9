package dev.cdioutbox.internal.store.schema;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.sql.DataSource;

import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.Database;
import dev.cdioutbox.internal.store.TestDatabase;
import dev.cdioutbox.internal.store.dialect.Dialect;

/**
 * A version 2 of the schema that was made up to rehearse an upgrade: two columns more, an index less. Its scripts are among the
 * test resources.
 */
public final class NextVersion {
    private static final List<SchemaShape.Table> TABLES =
            SchemaShape.TABLES.stream().map(NextVersion::changed).toList();

    private static final Pattern INSERT = Pattern.compile("(INSERT INTO \\S*message \\()(message_id)");

    private NextVersion() {}

    private static SchemaShape.Table changed(SchemaShape.Table table) {
        return switch (table.name()) {
            case "message" -> with(table, "region");
            case "queue" -> with(table, "claims");
            case "inbox" -> new SchemaShape.Table(table.name(), table.columns(), List.of());
            default -> table;
        };
    }

    private static SchemaShape.Table with(SchemaShape.Table table, String column) {
        return new SchemaShape.Table(
                table.name(),
                Stream.concat(table.columns().stream(), Stream.of(column)).toList(),
                table.indexes());
    }

    /** The start of an outbox of version 2. */
    static SchemaSetup setup(SchemaMode mode, Dialect dialect) {
        return new SchemaSetup(TestDatabase.config(mode, "shop", 4), dialect, 2, TABLES);
    }

    /** What an outbox of version 2 does with the tables at its start. */
    public static void start(TestDatabase database) throws SQLException {
        try (Connection connection = database.dataSource().getConnection()) {
            setup(SchemaMode.CREATE, database.kind().dialect()).prepare(connection);
        }
    }

    /** Applies {@code 1-to-2.sql} as a database's client does: in a session of its own, up to the first failure. */
    public static void apply(TestDatabase database) throws SQLException {
        SchemaFile script = new SchemaFile("1-to-2", database.kind().dialect(), TestDatabase.PREFIX);
        try (Connection session = database.dataSource().getConnection()) {
            for (String statement : script.statements()) {
                Database.execute(session, statement);
            }
        }
    }

    /** The connections of an outbox of version 2, whose messages have a region. */
    public static DataSource writing(DataSource database) {
        return proxy(DataSource.class, (method, arguments) -> {
            Object answer = call(database, method, arguments);
            return answer instanceof Connection connection ? writing(connection) : answer;
        });
    }

    private static Connection writing(Connection session) {
        return proxy(Connection.class, (method, arguments) -> {
            if (method.getName().equals("prepareStatement")) {
                arguments[0] = withRegion((String) arguments[0]);
            }
            return call(session, method, arguments);
        });
    }

    private static String withRegion(String statement) {
        Matcher insert = INSERT.matcher(statement);
        return insert.find()
                ? insert.replaceFirst("$1region, $2")
                        .replace("VALUES (?, ?, ?, ?", "VALUES ('north', ?, ?, ?, ?")
                        .replace("), (?, ?, ?, ?", "), ('north', ?, ?, ?, ?")
                : statement;
    }

    private static Object call(Object real, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static <T> T proxy(Class<T> type, Call call) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> call.of(method, arguments)));
    }

    private interface Call {
        Object of(Method method, Object[] arguments) throws Throwable;
    }
}
