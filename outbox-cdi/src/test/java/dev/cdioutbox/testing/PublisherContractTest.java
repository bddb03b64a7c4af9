package dev.cdioutbox.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.spi.DestinationId;
import dev.cdioutbox.spi.OutboxPublisher;
import dev.cdioutbox.testing.MemoryTransport.Fault;
import dev.cdioutbox.testing.MemoryTransport.Kind;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Guards the contract of publishers: each kind of transport can keep it, and each broken promise fails its test. */
class PublisherContractTest {
    private static final Map<Fault, String> FOUND_BY = new TreeMap<>(Map.ofEntries(
            Map.entry(Fault.REVERSES_A_BATCH, "messagesOfAKeyArriveOnceAndInOrder"),
            Map.entry(Fault.SENDS_TWICE, "messagesOfAKeyArriveOnceAndInOrder"),
            Map.entry(Fault.SENDS_TO_THE_DESTINATION_OF_THE_EVENT, "messagesOfAKeyArriveOnceAndInOrder"),
            Map.entry(Fault.SENDS_ASCII, "textsArriveUnchanged"),
            Map.entry(Fault.SENDS_NO_BYTES, "bytesArriveUnchanged"),
            Map.entry(Fault.SENDS_THE_TYPE_AS_KEY, "textsArriveUnchanged"),
            Map.entry(Fault.SENDS_THE_PLACE_IN_THE_ORDER_AS_KEY, "textsArriveUnchanged"),
            Map.entry(Fault.LEAVES_HEADERS_OUT, "textsArriveUnchanged"),
            Map.entry(Fault.HAS_ONE_BATCH_AT_A_TIME, "batchesOfTwoThreadsDoNotMix"),
            Map.entry(Fault.CANNOT_CLOSE_WITHOUT_A_MESSAGE, "senderThatSendsNothingLeavesTheTransactionAlone"),
            Map.entry(Fault.FORGETS_ITS_MARKERS, "markerIsThatOfTheLastBatchAndEarlierSendersAreShutOut"),
            Map.entry(Fault.LETS_EARLIER_SENDERS_COMMIT, "markerIsThatOfTheLastBatchAndEarlierSendersAreShutOut"),
            Map.entry(Fault.RETURNS_THE_LAST_ID, "idsOfTheTransportAreThoseOfTheMessage"),
            Map.entry(Fault.BEGINS_IDS_ANEW, "idsOfTheTransportAreThoseOfTheMessage"),
            Map.entry(Fault.COMPLETES_WITH_NULL, "idsOfTheTransportAreThoseOfTheMessage"),
            Map.entry(Fault.HIDES_A_REFUSAL, "refusedMessageIsToBlameAndNoOther"),
            Map.entry(Fault.BLAMES_THE_LAST_MESSAGE, "refusedMessageIsToBlameAndNoOther"),
            Map.entry(Fault.BLAMES_ALL_MESSAGES, "refusedMessageIsToBlameAndNoOther"),
            Map.entry(Fault.BLAMES_THE_DESTINATION, "refusedMessageIsToBlameAndNoOther"),
            Map.entry(Fault.KEEPS_THE_OTHERS_OF_A_REFUSED_BATCH, "refusedMessageIsToBlameAndNoOther"),
            Map.entry(Fault.GOES_ON_AFTER_A_REFUSED_MESSAGE, "noMessageOvertakesARefusedOneOfItsKey"),
            Map.entry(Fault.DROPS_WHAT_IT_CANNOT_REACH, "absentDestinationIsToBlameForItself"),
            Map.entry(Fault.BLAMES_MESSAGES_IN_AN_OUTAGE, "absentDestinationIsToBlameForItself"),
            Map.entry(Fault.TREATS_FULL_AS_UNKNOWN, "fullDestinationSaysSo"),
            Map.entry(Fault.COMPLETES_AT_CLOSE, "batchThatIsNotCompletedNeverArrives"),
            Map.entry(Fault.COMMITS_AT_ONCE, "batchOfATransactionThatRollsBackNeverArrives"),
            Map.entry(Fault.PROBES_WITH_A_MESSAGE, "probeReachesNoConsumer"),
            Map.entry(Fault.CANNOT_PROBE_WHILE_IT_SENDS, "probeAnswersBesideAnOpenSender"),
            Map.entry(Fault.ANSWERS_FOR_WHAT_IS_ABSENT, "probeOfAnAbsentDestinationFails")));

    @ParameterizedTest
    @CsvSource({
        "SYNCHRONOUS, ''",
        "ASYNCHRONOUS, ''",
        "OWN_TRANSACTIONS, batchOfATransactionThatRollsBackNeverArrives",
        "NO_TRANSACTIONS, batchOfATransactionThatRollsBackNeverArrives batchThatIsNotCompletedNeverArrives",
    })
    void everyKindOfTransportCanKeepTheContract(Kind kind, String skipped) throws Exception {
        Results results = run(kind, Fault.NONE);

        assertThat(results.failed()).isEmpty();
        assertThat(String.join(" ", results.skipped())).isEqualTo(skipped);
    }

    @ParameterizedTest
    @EnumSource(names = "NONE", mode = EnumSource.Mode.EXCLUDE)
    void brokenPromiseFailsItsTest(Fault fault) throws Exception {
        assertThat(run(kindWith(fault), fault).failed()).containsKey(FOUND_BY.get(fault));
    }

    private static Kind kindWith(Fault fault) {
        return switch (fault) {
            case COMPLETES_AT_CLOSE,
                    KEEPS_THE_OTHERS_OF_A_REFUSED_BATCH,
                    FORGETS_ITS_MARKERS,
                    LETS_EARLIER_SENDERS_COMMIT -> Kind.OWN_TRANSACTIONS;
            case GOES_ON_AFTER_A_REFUSED_MESSAGE -> Kind.NO_TRANSACTIONS;
            default -> Kind.ASYNCHRONOUS;
        };
    }

    /** Otherwise the tests would run without a transaction, and some of them would pass. */
    @Test
    void publisherThatJoinsTransactionsNeedsThem() {
        PublisherContract contract = new PublisherContract() {
            @Override
            protected OutboxPublisher publisher() {
                return new MemoryTransport(Kind.SYNCHRONOUS, Fault.NONE);
            }

            @Override
            protected DestinationId destination() {
                return DestinationId.ofDefaultOutbox("there");
            }

            @Override
            protected DestinationId absentDestination() {
                return MemoryTransport.ABSENT;
            }

            @Override
            protected List<Received> receiveUntil(UUID last) {
                return List.of();
            }
        };

        assertThatThrownBy(contract::begin).hasMessageContaining("override begin()");
    }

    @Test
    void everyTestOfTheContractFindsAFault() {
        assertThat(promises().map(Method::getName)).containsExactlyInAnyOrderElementsOf(Set.copyOf(FOUND_BY.values()));
    }

    private record Results(Map<String, Throwable> failed, Collection<String> skipped) {}

    private static Results run(Kind kind, Fault fault) throws IllegalAccessException {
        Results results = new Results(new TreeMap<>(), new TreeSet<>());
        for (Method test : promises().toList()) {
            try {
                test.invoke(new InMemory(kind, fault));
            } catch (InvocationTargetException e) {
                // JUnit's exception comes from a library that is no dependency of this module.
                if (e.getCause().getClass().getSimpleName().equals("TestAbortedException")) {
                    results.skipped().add(test.getName());
                } else {
                    results.failed().put(test.getName(), e.getCause());
                }
            }
        }
        return results;
    }

    private static Stream<Method> promises() {
        return Arrays.stream(PublisherContract.class.getDeclaredMethods())
                .filter(method -> method.isAnnotationPresent(Test.class));
    }

    private static final class InMemory extends PublisherContract {
        private final Kind kind;
        private final MemoryTransport transport;

        InMemory(Kind kind, Fault fault) {
            this.kind = kind;
            transport = new MemoryTransport(kind, fault);
        }

        @Override
        protected OutboxPublisher publisher() {
            return transport;
        }

        @Override
        protected DestinationId destination() {
            return DestinationId.ofDefaultOutbox("there");
        }

        @Override
        protected DestinationId absentDestination() {
            return MemoryTransport.ABSENT;
        }

        @Override
        protected DestinationId fullDestination() {
            return MemoryTransport.FULL;
        }

        @Override
        protected List<Received> receiveUntil(UUID last) {
            return transport.receiveUntil(last);
        }

        @Override
        protected boolean takesBack() {
            return kind != Kind.NO_TRANSACTIONS;
        }

        @Override
        protected OutboxMessage refused(OutboxMessage message) {
            return withText(message, MemoryTransport.REFUSED);
        }

        @Override
        protected void begin() {
            // What a thread has sent begins its transaction.
        }

        @Override
        protected void commit() {
            transport.commit();
        }

        @Override
        protected void rollback() {
            transport.rollback();
        }
    }
}
