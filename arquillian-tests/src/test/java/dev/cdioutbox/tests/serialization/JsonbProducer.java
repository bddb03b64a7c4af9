package dev.cdioutbox.tests.serialization;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.config.PropertyNamingStrategy;

/** A {@code Jsonb} of the application, with a naming strategy of its own. */
@ApplicationScoped
public class JsonbProducer {

    @Produces
    @ApplicationScoped
    Jsonb jsonb() {
        return JsonbBuilder.create(
                new JsonbConfig().withPropertyNamingStrategy(PropertyNamingStrategy.LOWER_CASE_WITH_UNDERSCORES));
    }
}
