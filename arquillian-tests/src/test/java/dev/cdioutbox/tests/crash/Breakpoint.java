package dev.cdioutbox.tests.crash;

import java.util.concurrent.CountDownLatch;

/** Stops the first thread of a node that reaches the armed point, until the controller lets it go on. Thread-safe. */
final class Breakpoint {
    private final Report report;
    private Point armed;
    private int left;
    private CountDownLatch go = new CountDownLatch(0);

    Breakpoint(Report report) {
        this.report = report;
    }

    /** @param occurrence the first, second … time that the point is reached */
    synchronized void arm(Point point, int occurrence) {
        release();
        armed = point;
        left = occurrence;
    }

    /** Lets the stopped thread go on, and stops no other one. */
    synchronized void release() {
        armed = null;
        go.countDown();
    }

    /** A thread of the node is at a point; null for none. */
    void reached(Point point) {
        CountDownLatch latch = stop(point);
        if (latch != null) {
            report.line("AT " + point);
            boolean interrupted = false;
            while (latch.getCount() > 0) {
                try {
                    latch.await();
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private synchronized CountDownLatch stop(Point point) {
        if (point == null || point != armed || --left > 0) {
            return null;
        }
        armed = null;
        go = new CountDownLatch(1);
        return go;
    }
}
