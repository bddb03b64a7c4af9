package dev.cdioutbox.internal.store;

/** A database server in a process of its own, which a test can kill. */
public interface KillableDatabase extends AutoCloseable {
    int port();

    /** The JDBC URL of a database on this server, for a user without a password. */
    String urlOf(String database, String user);

    /** {@code kill -9}. */
    void kill();

    /** Starts the server again after {@link #kill}, with its data. */
    void restart();

    /** Ends the server, and deletes its data. */
    @Override
    void close();
}
