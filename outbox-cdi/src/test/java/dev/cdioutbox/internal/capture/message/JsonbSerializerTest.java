package dev.cdioutbox.internal.capture.message;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;

import jakarta.json.bind.Jsonb;

import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxPayload;
import org.junit.jupiter.api.Test;

/** Guards that an event whose fields JSON-B cannot see is refused, and not stored as an empty object. */
class JsonbSerializerTest {
    /** JSON-B finds nothing to write, for any event. */
    private final JsonbSerializer serializer = new JsonbSerializer((Jsonb) Proxy.newProxyInstance(
            JsonbSerializerTest.class.getClassLoader(), new Class<?>[] {Jsonb.class}, (proxy, method, args) -> "{}"));

    @Test
    void classWhoseFieldsJsonBCannotSeeIsRefused() {
        assertThatThrownBy(() -> serializer.serialize(new Hidden("o-1")))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0120: event " + Hidden.class.getName());
        assertThatThrownBy(() -> serializer.serialize(new Inherited("o-1")))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0120");
    }

    @Test
    void emptyObjectIsThePayloadOfAClassWithoutFieldsOrWithNullsOnly() {
        assertThat(serializer.serialize(new Marker())).isEqualTo(OutboxPayload.text("{}"));
        assertThat(serializer.serialize(new Order(null))).isEqualTo(OutboxPayload.text("{}"));
        assertThat(serializer.serialize(new Bean())).isEqualTo(OutboxPayload.text("{}"));
        assertThat(serializer.serialize(new PublicField())).isEqualTo(OutboxPayload.text("{}"));
    }

    static class Hidden {
        private final String id;

        Hidden(String id) {
            this.id = id;
        }

        /** No getter: it has a parameter. */
        public boolean isFor(String other) {
            return id.equals(other);
        }

        /** No getter either. */
        public static Hidden getInstance() {
            return new Hidden("o-0");
        }
    }

    static final class Inherited extends Hidden {
        Inherited(String id) {
            super(id);
        }
    }

    static final class Marker {}

    record Order(String id) {}

    public static final class Bean {
        private String id;

        public String getId() {
            return id;
        }
    }

    public static final class PublicField {
        public String id;
    }
}
