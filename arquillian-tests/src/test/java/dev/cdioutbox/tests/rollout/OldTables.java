package dev.cdioutbox.tests.rollout;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.ejb.EJBException;
import jakarta.ejb.Stateless;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;

/** A table of baskets, and an outbox that a team has written by hand. */
@Stateless
public class OldTables {
    @Resource(lookup = "java:comp/DefaultDataSource")
    DataSource database;

    @TransactionAttribute(TransactionAttributeType.NOT_SUPPORTED)
    public void create(List<String> baskets) {
        update("DROP TABLE IF EXISTS old_outbox");
        update("DROP TABLE IF EXISTS basket");
        update("CREATE TABLE basket (id VARCHAR(36) PRIMARY KEY, sales INT NOT NULL)");
        update("CREATE TABLE old_outbox (nr BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY, id VARCHAR(36) NOT NULL,"
                + " basket VARCHAR(36) NOT NULL, payload VARCHAR(1000) NOT NULL, sent INT DEFAULT 0 NOT NULL)");
        baskets.forEach(basket -> update("INSERT INTO basket VALUES (?, 0)", basket));
    }

    /** The basket's row stays locked until the commit, and so orders the basket's sales. */
    public int next(String basket) {
        update("UPDATE basket SET sales = sales + 1 WHERE id = ?", basket);
        return Integer.parseInt(
                query("SELECT sales FROM basket WHERE id = ?", basket).get(0).get(0));
    }

    public void write(Sold event) {
        update(
                "INSERT INTO old_outbox (id, basket, payload) VALUES (?, ?, ?)",
                event.id(),
                event.basket(),
                event.json());
    }

    public int update(String sql, String... parameters) {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = bound(connection, sql, parameters)) {
            return statement.executeUpdate();
        } catch (SQLException e) {
            throw new EJBException(e);
        }
    }

    public List<List<String>> query(String sql, String... parameters) {
        try (Connection connection = database.getConnection();
                PreparedStatement statement = bound(connection, sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            List<List<String>> found = new ArrayList<>();
            while (rows.next()) {
                List<String> row = new ArrayList<>();
                for (int column = 1; column <= rows.getMetaData().getColumnCount(); column++) {
                    row.add(rows.getString(column));
                }
                found.add(row);
            }
            return found;
        } catch (SQLException e) {
            throw new EJBException(e);
        }
    }

    private static PreparedStatement bound(Connection connection, String sql, String... parameters)
            throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        for (int i = 0; i < parameters.length; i++) {
            statement.setString(i + 1, parameters[i]);
        }
        return statement;
    }
}
