package dev.cdioutbox.tests.crash;

import java.util.concurrent.CountDownLatch;

/** Stops the first thread of a node that reaches the armed point, until the controller releases it. Thread-safe. */
final class Breakpoint {
    private final Report report;
    private Point armed;
    private int left;
    private CountDownLatch go = new CountDownLatch(0);

    Breakpoint(Report report) {
        this.report = report;
    }

    /** @param occurrence 1 for the first time that a thread reaches the point, 2 for the second, and so on */
    synchronized void arm(Point point, int occurrence) {
        release();
        armed = point;
        left = occurrence;
    }

    /** Releases the stopped thread, and disarms the point. */
    synchronized void release() {
        armed = null;
        go.countDown();
    }

    /** Called by a thread of the node at a point; null if the place is no point. */
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
