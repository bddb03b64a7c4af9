package dev.cdioutbox.internal.observe;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

import jakarta.enterprise.context.Dependent;
import jakarta.enterprise.inject.Instance;
import jakarta.inject.Inject;

import dev.cdioutbox.internal.config.DestinationConfig;
import dev.cdioutbox.internal.observe.OutboxMetric.Series;
import dev.cdioutbox.internal.outbox.Outboxes;
import dev.cdioutbox.spi.DestinationId;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.AttributesBuilder;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.metrics.ObservableDoubleGauge;

/**
 * MicroProfile Telemetry 2.0 or later, by OpenTelemetry's conventions. Counters are synchronous: where all applications
 * of a server share one OpenTelemetry, their values are added up, and a redeployment does not set them back.
 */
@Dependent
class OpenTelemetryMetrics implements MetricExporter {
    /** In seconds: from a quick claim to a message that waited for an hour. The SDK's own end at 10. */
    private static final List<Double> BUCKETS =
            List.of(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0);

    private final Meter meter;
    private final String application;
    private final Outboxes outboxes;
    private final Map<String, LongCounter> counters = new ConcurrentHashMap<>();
    private final Map<String, DoubleHistogram> histograms = new ConcurrentHashMap<>();
    private final Map<Series, Attributes> attributes = new ConcurrentHashMap<>();
    private final List<ObservableDoubleGauge> gauges = new ArrayList<>();

    @Inject
    OpenTelemetryMetrics(Instance<OpenTelemetry> telemetry, Outboxes outboxes) {
        // The application may see the API without the feature.
        meter = (telemetry.isResolvable() ? telemetry.get() : OpenTelemetry.noop()).getMeter("dev.cdioutbox");
        application = outboxes.standard().config().current().store().application();
        this.outboxes = outboxes;
    }

    @Override
    public void count(Series series, long by) {
        OutboxMetric metric = series.metric();
        counters.computeIfAbsent(metric.openTelemetryName(), name -> meter.counterBuilder(name)
                        .setUnit(metric.unit())
                        .setDescription(metric.description())
                        .build())
                .add(by, of(series));
    }

    @Override
    public void time(Series series, Duration took) {
        OutboxMetric metric = series.metric();
        histograms
                .computeIfAbsent(metric.openTelemetryName(), name -> meter.histogramBuilder(name)
                        .setUnit(metric.unit())
                        .setDescription(metric.description())
                        .setExplicitBucketBoundariesAdvice(BUCKETS)
                        .build())
                .record(took.toNanos() / 1e9, of(series));
    }

    @Override
    public void gauge(Series series, Supplier<? extends Number> value) {
        OutboxMetric metric = series.metric();
        gauges.add(meter.gaugeBuilder(metric.openTelemetryName())
                .setUnit(metric.unit())
                .setDescription(metric.description())
                .buildWithCallback(reading -> reading.record(value.get().doubleValue(), of(series))));
    }

    /** OpenTelemetry may outlive the application: it would go on to read the gauges, and keep the class loader. */
    @Override
    public void close() {
        gauges.forEach(ObservableDoubleGauge::close);
    }

    private Attributes of(Series series) {
        return attributes.computeIfAbsent(series, this::build);
    }

    private Attributes build(Series series) {
        OutboxMetric metric = series.metric();
        AttributesBuilder all = Attributes.builder().put("cdioutbox.application", application);
        if (series.value() != null) {
            all.put(metric.label().attribute(), series.value().toString());
        }
        if (metric.isOfSend()) {
            all.put("messaging.operation.name", "send");
            DestinationConfig destination = outboxes.destination((DestinationId) series.value());
            if (destination != null) {
                all.put("messaging.system", destination.transport());
            }
        }
        if (metric == OutboxMetric.FAILURES) {
            all.put("error.type", "_OTHER");
        }
        return all.build();
    }
}
