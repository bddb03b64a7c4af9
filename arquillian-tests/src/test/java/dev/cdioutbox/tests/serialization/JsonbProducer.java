package dev.cdioutbox.tests.serialization;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.config.PropertyNamingStrategy;

/** The application's own idea of JSON. */
@ApplicationScoped
public class JsonbProducer {

    @Produces
    @ApplicationScoped
    Jsonb jsonb() {
        return JsonbBuilder.create(
                new JsonbConfig().withPropertyNamingStrategy(PropertyNamingStrategy.LOWER_CASE_WITH_UNDERSCORES));
    }
}
