package dev.cdioutbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;

import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;

class ProducersTest {

    /** Otherwise the others would keep their threads, and these the class loader of the application. */
    @Test
    void eachProducerIsClosedAlthoughOneCannotBe() {
        Producers producers = new Producers();
        List<MockProducer<byte[], byte[]>> all = Stream.generate(() -> new MockProducer<byte[], byte[]>())
                .limit(3)
                .toList();
        all.forEach(producer -> producers.giveBack("orders", producer));
        // The last one given back is the first one to be closed.
        all.get(2).closeException = new KafkaException("cannot be closed");

        producers.close();

        assertThat(all.subList(0, 2)).allMatch(MockProducer::closed);
    }
}
