package dev.cdioutbox.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;

import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.junit.jupiter.api.Test;

class ProducersTest {
    private final AtomicLong nanos = new AtomicLong();

    /** Otherwise the others would keep their threads, and these the class loader of the application. */
    @Test
    void eachProducerIsClosedAlthoughOneCannotBe() {
        Producers producers = new Producers(nanos::get);
        List<MockProducer<byte[], byte[]>> all = Stream.generate(() -> new MockProducer<byte[], byte[]>())
                .limit(3)
                .toList();
        all.forEach(producer -> producers.giveBack("orders", producer));
        // The last one given back is the first one to be closed.
        all.get(2).closeException = new KafkaException("cannot be closed");

        producers.close();

        assertThat(all.subList(0, 2)).allMatch(MockProducer::closed);
    }

    /** All brokers may have moved, and a producer asks only those that it knows. */
    @Test
    void producerThatFailsAndHasLongHadNoAnswerIsDiscarded() {
        Producers producers = new Producers(nanos::get);
        MockProducer<byte[], byte[]> producer = new MockProducer<>();
        producers.giveBack("orders", producer);

        nanos.addAndGet(Admins.FORGOTTEN.toNanos());
        producers.giveBackAfterFailure("orders", producers.takeIdle("orders"));
        assertThat(producer.closed()).isFalse();

        nanos.addAndGet(1);
        producers.giveBackAfterFailure("orders", producers.takeIdle("orders"));
        assertThat(producer.closed()).isTrue();
        assertThat(producers.takeIdle("orders")).isNull();
    }
}
