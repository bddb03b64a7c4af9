package dev.cdioutbox.internal.store.dialect;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.store.StatementCatalog;
import dev.cdioutbox.internal.store.claim.ClaimLimits;
import dev.cdioutbox.internal.store.schema.SchemaFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Guards the statements for databases that no test starts. They take the parameters that the store sets, in its order,
 * and use nothing that the documentation of the database excludes. Only a run on the database could show more.
 */
class UntestedDatabasesTest {
    private static final String PREFIX = "app.shop_";

    static Stream<Dialect> untested() {
        return SupportedDatabases.ALL.stream().filter(dialect -> !SupportedDatabases.isTested(dialect));
    }

    @ParameterizedTest
    @MethodSource("untested")
    void statementsHaveTheParametersThatAreSet(Dialect dialect) {
        Map<String, String> known = statements(SupportedDatabases.H2);
        Map<String, String> statements = statements(dialect);

        assertThat(statements.keySet()).isEqualTo(known.keySet());
        statements.forEach(
                (name, text) -> assertThat(marks(text)).as("%s: %s", name, text).isEqualTo(marks(known.get(name))));
    }

    /**
     * These databases put an index without a schema name into the user's own schema: two outboxes of one user would
     * collide.
     */
    @ParameterizedTest
    @ValueSource(strings = {"Oracle", "DB2/LINUXX8664"})
    void indexesAreInTheSchemaOfTheirTable(String product) {
        Dialect dialect = SupportedDatabases.of(product).orElseThrow();

        assertThat(script(dialect))
                .filteredOn(statement -> statement.contains(" INDEX "))
                .hasSizeGreaterThan(5)
                .allSatisfy(statement -> assertThat(statement).contains(" INDEX " + PREFIX));
    }

    @ParameterizedTest
    @MethodSource("untested")
    void parenthesesAndQuotesMatch(Dialect dialect) {
        Stream.concat(statements(dialect).values().stream(), script(dialect).stream())
                .forEach(text -> {
                    assertThat(text.chars().filter(c -> c == '(').count())
                            .as(text)
                            .isEqualTo(text.chars().filter(c -> c == ')').count());
                    assertThat(text.chars().filter(c -> c == '\'').count() % 2)
                            .as(text)
                            .isZero();
                });
    }

    /** Each pattern comes from the documentation of the database. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '"',
            value = {
                "Oracle; (?s).*FETCH FIRST.*FOR UPDATE.*; ORA-02014: no limit with FOR UPDATE",
                "Oracle; (?s).*(WHERE|AND)[^,]*= ''.*; is never true",
                "Oracle; (?s).*\\) AS \\w+ (WHERE|GROUP).*; a table's alias has no AS",
                "Oracle; (?s)^\\(.*; no order in the parentheses of a union",
                "Oracle; (?s).*\\b(LIMIT|BOOLEAN|TRUE)\\b.*; not known",
                "Db2; (?s).*FOR UPDATE SKIP LOCKED.*; it is SKIP LOCKED DATA, behind the isolation",
                "Db2; (?s).*information_schema.*; it has syscat",
                "Microsoft SQL Server; (?s).*FOR UPDATE.*; it has hints",
                "Microsoft SQL Server; (?s).*FETCH FIRST.*; an end needs OFFSET before it",
                "Microsoft SQL Server; (?s).*VALUES \\(.*SELECT.*; no query within VALUES",
                "Microsoft SQL Server; (?s).*CURRENT_TIMESTAMP.*; is local time"
            })
    void nothingIsAskedThatTheDatabaseRefuses(String product, String pattern, String reason) {
        Dialect dialect = SupportedDatabases.ALL.stream()
                .filter(d -> d.products().contains(product))
                .findFirst()
                .orElseThrow();

        Map<String, String> statements = statements(dialect);
        statements.forEach(
                (name, text) -> assertThat(text).as("%s: %s", name, reason).doesNotMatch(pattern));
    }

    @Test
    void endOfAQueryFollowsAnOrderOnSqlServer() {
        statements(SupportedDatabases.SQL_SERVER).forEach((name, text) -> assertThat(text.split("ORDER BY").length)
                .as("%s: %s", name, text)
                .isGreaterThanOrEqualTo(text.split("OFFSET 0 ROWS").length));
    }

    @ParameterizedTest
    @MethodSource("untested")
    void scriptMakesWhatTheOthersMake(Dialect dialect) {
        List<String> known = made(script(SupportedDatabases.POSTGRESQL));
        // A primary key of the others.
        assertThat(known.remove("UNIQUE shop_queue_pkey")).isTrue();
        assertThat(made(script(dialect))).containsAll(known);
        assertThat(script(dialect)).noneMatch(statement -> statement.contains("${"));
    }

    /** Otherwise only the users of that database would notice a column that its script lacks. */
    @ParameterizedTest
    @MethodSource("untested")
    void tablesHaveTheColumnsThatTheOthersHave(Dialect dialect) {
        Map<String, List<String>> known = columns(script(SupportedDatabases.H2));

        assertThat(columns(script(dialect))).isEqualTo(known);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a", "a ", "a  ", "\u001F", "a\u001F", " \u001F", "\u001F\u001F"})
    void textComesBackAsItWasAndStaysApartFromOthers(String text) {
        Dialect dialect = SupportedDatabases.ORACLE;
        String stored = dialect.encodeText(text);

        assertThat(dialect.decodeText(stored)).isEqualTo(text);
        assertThat(stored).isNotEmpty().doesNotEndWith(" ");
        assertThat(dialect.encodeText(null)).isNull();
        assertThat(dialect.decodeText(null)).isNull();
    }

    @ParameterizedTest
    @CsvSource({
        "Oracle, oracle",
        "DB2/LINUXX8664, db2",
        "DB2/NT64, db2",
        "Microsoft SQL Server, sqlserver",
        "MySQL, mariadb"
    })
    void databaseIsKnownByWhatItCallsItself(String product, String folder) {
        assertThat(SupportedDatabases.of(product)).map(Dialect::folder).contains(folder);
        assertThat(SupportedDatabases.of("DB2 UDB for AS/400")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"Oracle, OBX-0311", "PostgreSQL,"})
    void untestedDatabaseIsAFinding(String product, String code) throws SQLException {
        Connection connection = answering(
                Connection.class,
                Map.of(
                        "getMetaData",
                        answering(
                                DatabaseMetaData.class,
                                Map.of("getDatabaseProductName", product, "getDatabaseProductVersion", "8.4")),
                        "getTransactionIsolation",
                        Connection.TRANSACTION_READ_COMMITTED));

        List<Finding> found =
                SupportedDatabases.findings(SupportedDatabases.of(product).orElseThrow(), connection);

        assertThat(found).hasSize(code == null ? 0 : 1);
        assertThat(found).allMatch(finding -> finding.toString().startsWith(code + ": " + product + " 8.4"));
    }

    private static <T> T answering(Class<T> type, Map<String, Object> answers) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answers.get(method.getName())));
    }

    @ParameterizedTest
    @MethodSource("untested")
    void listsOfValuesEndWhereTheDatabaseEndsThem(Dialect dialect) {
        assertThat(ClaimLimits.MAX_PARTITIONS * marks(statements(dialect).get("PageReader.statement")))
                .isLessThanOrEqualTo(1000);
    }

    private static long marks(String text) {
        return text.chars().filter(c -> c == '?').count();
    }

    private static List<String> script(Dialect dialect) {
        return new SchemaFile("1", dialect, PREFIX).statements();
    }

    private static List<String> made(List<String> script) {
        return script.stream()
                .filter(statement -> statement.startsWith("CREATE"))
                .map(statement -> statement
                        .replaceAll("(?s)^CREATE (OR REPLACE |OR ALTER )?", "")
                        .replace("IF NOT EXISTS ", "")
                        .replaceAll("(?s)[ (].*?(\\S+shop_\\w+|shop_\\w+).*", " $1")
                        .replaceAll("^(UNIQUE|INDEX) app\\.", "$1 "))
                .collect(Collectors.toList());
    }

    private static Map<String, List<String>> columns(List<String> script) {
        Map<String, List<String>> columns = new TreeMap<>();
        script.stream()
                .filter(statement -> statement.startsWith("CREATE TABLE"))
                .forEach(statement -> columns.put(
                        statement.replaceAll("(?s)^CREATE TABLE (IF NOT EXISTS )?(\\S+) .*", "$2"),
                        statement
                                .lines()
                                .skip(1)
                                .map(String::strip)
                                .filter(line -> line.matches("[a-z_]+ .*"))
                                .map(line -> line.replaceAll(" .*", ""))
                                .toList()));
        return columns;
    }

    private static Map<String, String> statements(Dialect dialect) {
        return StatementCatalog.of(PREFIX, dialect);
    }
}
