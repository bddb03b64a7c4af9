package dev.cdioutbox.tests.capture;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.sql.DataSource;

import jakarta.enterprise.context.ApplicationScoped;

import org.eclipse.microprofile.config.ConfigProvider;

/** Reads the tables with plain JDBC, without the outbox. */
@ApplicationScoped
public class Stored {
    private static final Pattern TOKEN = Pattern.compile("\"token\":\"([^\"]*)\"");

    static String table() {
        return ConfigProvider.getConfig().getValue("outbox.table-prefix", String.class) + "message";
    }

    static DataSource dataSource() {
        try {
            return InitialContext.doLookup(ConfigProvider.getConfig().getValue("outbox.datasource", String.class));
        } catch (NamingException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The tokens of a key's messages, in the order of their sequence numbers. */
    List<String> tokens(String key) {
        List<String> tokens = new ArrayList<>();
        for (String payload : texts("SELECT payload FROM " + table() + " WHERE message_key = ? ORDER BY seq", key)) {
            Matcher token = TOKEN.matcher(payload);
            if (!token.find()) {
                throw new IllegalStateException("no token in " + payload);
            }
            tokens.add(token.group(1));
        }
        return tokens;
    }

    boolean isBooked(String id) {
        return !texts("SELECT id FROM capture_booking WHERE id = ?", id).isEmpty();
    }

    List<String> texts(String select, String parameter) {
        try (Connection connection = dataSource().getConnection();
                PreparedStatement statement = connection.prepareStatement(select)) {
            statement.setString(1, parameter);
            List<String> texts = new ArrayList<>();
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    texts.add(rows.getString(1));
                }
            }
            return texts;
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Adds a constraint that makes the database refuse each row of {@link Poison}. */
    void refusePoison() {
        execute("ALTER TABLE %1$s ADD CONSTRAINT IF NOT EXISTS %1$s_poison CHECK (event_type <> '%2$s')"
                .formatted(table(), Poison.TYPE));
    }

    void execute(String sql) {
        try (Connection connection = dataSource().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
