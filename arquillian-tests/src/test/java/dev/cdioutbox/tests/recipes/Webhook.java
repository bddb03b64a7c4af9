package dev.cdioutbox.tests.recipes;

import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.HandlerException;
import dev.cdioutbox.OutboxHandler;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.ReceivedEvent;

@ApplicationScoped
public class Webhook {
    private static final HttpClient HTTP =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(2)).build();

    @Inject
    private Receivers receivers;

    @OutboxHandler(value = "webhook", types = "OrderPlaced")
    void call(ReceivedEvent event, OutboxMessage message) throws HandlerException, IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(receivers.of(event.type()))
                .timeout(Duration.ofSeconds(10))
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", message.id().toString())
                .POST(BodyPublishers.ofString(event.text()))
                .build();
        int status = HTTP.send(request, BodyHandlers.discarding()).statusCode();
        if (status == 429 || status == 503) {
            throw HandlerException.retryAfter(Duration.ofMinutes(1), "the receiver is busy (" + status + ")", null);
        }
        if (status >= 400 && status < 500) {
            throw HandlerException.doNotRetry("the receiver refuses the message (" + status + ")", null);
        }
        if (status >= 300) {
            throw new IOException("the receiver has failed (" + status + ")");
        }
    }
}
