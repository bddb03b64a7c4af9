package dev.cdioutbox.internal.store;

import static dev.cdioutbox.internal.store.TestMessages.keyed;
import static dev.cdioutbox.internal.store.TestMessages.message;
import static dev.cdioutbox.internal.store.TestMessages.sent;
import static dev.cdioutbox.internal.store.TestMessages.terms;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import dev.cdioutbox.internal.config.StoreConfig.SchemaMode;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;
import dev.cdioutbox.internal.store.schema.PartitionSetup;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Guards the warning about messages of a former application name, which no node will send. */
class OtherApplicationsTest extends StoreContract {
    private final Logger log = Logger.getLogger(PartitionSetup.class.getName());
    private final List<String> warnings = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord line) {
            warnings.add(line.getMessage());
        }

        @Override
        public void flush() {
            // The handler buffers nothing.
        }

        @Override
        public void close() {
            // The handler holds no resource.
        }
    };

    OtherApplicationsTest(Database kind) {
        super(kind);
    }

    @BeforeEach
    void listen() {
        log.setLevel(Level.ALL);
        log.addHandler(handler);
    }

    @AfterEach
    void silence() {
        log.removeHandler(handler);
        log.setLevel(null);
    }

    @Test
    void messagesThatWaitForAnotherNameAreWarnedOf() {
        open("old").capture().write(keyed("a", "b"));
        open("Shop")
                .capture()
                .write(List.of(terms(
                        message("a", "delayed"),
                        new NewMessage.Terms(Instant.now().plusSeconds(900), null, null))));
        warnings.clear();

        open("shop");

        assertThat(warnings).hasSize(1);
        assertThat(warnings.get(0))
                .startsWith("OBX-0309: messages wait in ")
                .contains("shop_message for other applications: ")
                .contains("Shop", "old", "This one is 'shop'");
    }

    @Test
    void ownMessagesAndThoseThatAreDoneAreNot() {
        JdbcOutboxStore other = open("other");
        other.capture().write(keyed("done"));
        other.settlements().settleSent(sent(List.of(database.sequence("done"))));
        open("shop").capture().write(keyed("mine"));

        open("shop");

        assertThat(warnings).isEmpty();
    }

    private JdbcOutboxStore open(String application) {
        return database.open(SchemaMode.CREATE, application, 4);
    }
}
