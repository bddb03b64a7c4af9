package dev.cdioutbox.internal.observe;

import java.time.Duration;
import java.util.function.Supplier;

import dev.cdioutbox.internal.observe.OutboxMetric.Series;

/** Gives the metrics to a feature of the server. A bean of this type exists only if the application sees that feature. */
interface MetricExporter {

    void count(Series series, long by);

    void time(Series series, Duration took);

    /** Shows a gauge until {@link #close}. */
    void gauge(Series series, Supplier<? extends Number> value);

    /** Called every few seconds. */
    default void refresh() {}

    /** The application ends: no gauge of it may stay. */
    void close();
}
