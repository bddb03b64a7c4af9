package dev.cdioutbox.internal.store;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.SocketFactory;

/**
 * Sockets that count round trips: how often a driver reads after it has written. PostgreSQL's driver creates the factory
 * by its name ({@code socketFactory}). The count is exact where JDBC shows nothing: it includes the fetches behind a
 * {@code ResultSet}, and leaves out a BEGIN, which the driver sends with the first statement.
 */
public final class CountedSockets extends SocketFactory {
    private static final AtomicLong ROUND_TRIPS = new AtomicLong();

    /** Of all sockets of this JVM so far. */
    public static long roundTrips() {
        return ROUND_TRIPS.get();
    }

    @Override
    public Socket createSocket() {
        return new CountedSocket();
    }

    @Override
    public Socket createSocket(String host, int port) {
        throw new UnsupportedOperationException("the driver connects the socket");
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException("the driver connects the socket");
    }

    @Override
    public Socket createSocket(InetAddress host, int port) {
        throw new UnsupportedOperationException("the driver connects the socket");
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress local, int localPort) {
        throw new UnsupportedOperationException("the driver connects the socket");
    }

    /** Used by one thread at a time, as a connection is. */
    private static final class CountedSocket extends Socket {
        private volatile boolean written;

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new FilterOutputStream(super.getOutputStream()) {
                @Override
                public void write(int b) throws IOException {
                    written = true;
                    out.write(b);
                }

                @Override
                public void write(byte[] bytes, int offset, int length) throws IOException {
                    written = true;
                    out.write(bytes, offset, length);
                }
            };
        }

        @Override
        public InputStream getInputStream() throws IOException {
            return new FilterInputStream(super.getInputStream()) {
                @Override
                public int read() throws IOException {
                    count();
                    return in.read();
                }

                @Override
                public int read(byte[] bytes, int offset, int length) throws IOException {
                    count();
                    return in.read(bytes, offset, length);
                }
            };
        }

        private void count() {
            if (written) {
                written = false;
                ROUND_TRIPS.incrementAndGet();
            }
        }
    }
}
