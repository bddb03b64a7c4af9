package dev.cdioutbox.tests.crash;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A TCP proxy between a node and the broker that can drop the broker's answers. */
final class BrokerProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int target;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private volatile boolean silent;

    /** @param target the broker's port on this machine */
    BrokerProxy(int target) {
        this.target = target;
        try {
            listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        thread(this::accept);
    }

    String url() {
        return "tcp://localhost:" + listener.getLocalPort();
    }

    /** From now on the broker gets all requests, and the proxy drops all answers. */
    void keepAnswersBack() {
        silent = true;
    }

    /** Closes the connections that got no answer, and forwards answers on new ones. */
    void cut() {
        closeAll();
        silent = false;
        // A client may have connected in between and wait for an answer that was dropped.
        closeAll();
    }

    private void closeAll() {
        sockets.removeIf(socket -> {
            close(socket);
            return true;
        });
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                Socket broker = new Socket(InetAddress.getLoopbackAddress(), target);
                sockets.add(client);
                sockets.add(broker);
                thread(() -> copy(client, broker, false));
                thread(() -> copy(broker, client, true));
            } catch (IOException closedOrBrokerIsAway) {
                // The client tries again.
            }
        }
    }

    private void copy(Socket from, Socket to, boolean answers) {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[8192];
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                if (!(answers && silent)) {
                    out.write(bytes, 0, read);
                    out.flush();
                }
            }
        } catch (IOException ended) {
            // The end of one direction closes both sockets.
        }
    }

    private static void thread(Runnable work) {
        Thread thread = new Thread(work, "broker proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException alreadyClosed) {
            // The socket is closed, as intended.
        }
    }

    @Override
    public void close() {
        try {
            listener.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cut();
    }
}
