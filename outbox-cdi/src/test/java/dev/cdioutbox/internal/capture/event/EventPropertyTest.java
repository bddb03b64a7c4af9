package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.annotation.RetentionPolicy;
import java.net.URI;
import java.sql.Timestamp;
import java.time.Instant;
import java.time.LocalDate;
import java.util.ArrayDeque;
import java.util.Calendar;
import java.util.Date;
import java.util.GregorianCalendar;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.Stream;

import dev.cdioutbox.OutboxAggregateId;
import dev.cdioutbox.OutboxException;
import dev.cdioutbox.OutboxKey;
import dev.cdioutbox.internal.capture.event.EventProperty.Use;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that a key is read from its annotated or named property, and that an unusable one is refused. */
class EventPropertyTest {
    private static final UUID ID = new UUID(1, 2);

    record Component(@OutboxKey UUID id, String other) {}

    static class PrivateField {
        @OutboxKey
        private final Object id;

        PrivateField(Object id) {
            this.id = id;
        }
    }

    static class Inherits extends PrivateField {
        Inherits(Object id) {
            super(id);
        }
    }

    static class Active {
        @OutboxKey
        private final String active;

        Active(String active) {
            this.active = active;
        }

        boolean isActive() {
            return true;
        }
    }

    static class AnnotatedAbove {
        @OutboxKey
        protected String id = "7";
    }

    static class WithGetterBelow extends AnnotatedAbove {
        String getId() {
            return "order-" + id;
        }
    }

    @Test
    void getterOfASubclassComesBeforeTheFieldOfItsSuperclass() {
        assertThat(new PropertyFinder(Use.KEY, WithGetterBelow.class)
                        .marked()
                        .orElseThrow()
                        .read(new WithGetterBelow()))
                .isEqualTo("order-7");
    }

    record Compound(String left, int right) {}

    static class WithGetter {
        @OutboxKey
        private final long id;

        WithGetter(long id) {
            this.id = id;
        }

        long getId() {
            return id;
        }
    }

    /** Like a proxy: a subclass whose own fields are empty. */
    static class Proxied extends WithGetter {
        private final WithGetter real;

        Proxied(WithGetter real) {
            super(0);
            this.real = real;
        }

        @Override
        long getId() {
            return real.getId();
        }
    }

    static class PrivateGetter {
        @OutboxKey
        private long getId() {
            return 42;
        }
    }

    static class HidesTheField extends PrivateField {
        private final Long id = 0L;

        HidesTheField(Object id) {
            super(id);
        }

        @Override
        public String toString() {
            return "event " + id;
        }
    }

    abstract static class Generic<T> {
        abstract T getId();
    }

    static class Bridged extends Generic<String> {
        @Override
        @OutboxKey
        String getId() {
            return "bridged";
        }
    }

    static class Overrides extends Bridged {
        @Override
        @OutboxKey
        String getId() {
            return "overridden";
        }
    }

    interface HasKey {
        @OutboxKey
        String id();
    }

    record Implements(String id) implements HasKey {}

    record TwoComponents(@OutboxKey String a, @OutboxKey String b) {}

    static class SecondKey extends PrivateField {
        @OutboxKey
        private final String second = "2";

        SecondKey() {
            super("1");
        }
    }

    static class StaticField {
        @OutboxKey
        private static final String ID = "same for all";
    }

    static class StaticGetter {
        @OutboxKey
        static String id() {
            return "same for all";
        }
    }

    static class WithParameter {
        @OutboxKey
        String id(String suffix) {
            return suffix;
        }
    }

    static class Nothing {
        @OutboxKey
        void id() {}
    }

    static class Throws {
        @OutboxKey
        String id() {
            throw new IllegalStateException("no id yet");
        }
    }

    record Unkeyed(String id) {}

    @Test
    void keyIsReadFromWhereItsAnnotationIs() {
        assertThat(read(new Component(ID, "other"))).isEqualTo(ID.toString());
        assertThat(read(new PrivateField(7))).isEqualTo("7");
        assertThat(read(new PrivateGetter())).isEqualTo("42");
        assertThat(read(new Bridged())).isEqualTo("bridged");
        assertThat(read(new Active("a-1")))
                .as("a getter of another type is another property")
                .isEqualTo("a-1");
    }

    @Test
    void keyIsInherited() {
        assertThat(read(new Inherits("inherited"))).isEqualTo("inherited");
        assertThat(read(new Overrides())).isEqualTo("overridden");
        assertThat(read(new HidesTheField("of the superclass"))).isEqualTo("of the superclass");
        assertThat(new PropertyFinder(Use.KEY, HasKey.class)
                        .marked()
                        .orElseThrow()
                        .read(new Implements("of an interface")))
                .isEqualTo("of an interface");
    }

    @Test
    void eventWithoutTheAnnotationIsUnordered() {
        assertThat(new PropertyFinder(Use.KEY, Unkeyed.class).marked()).isEmpty();
    }

    @Test
    void recordComponentIsOneKeyAlthoughItsAccessorShowsToo() {
        assertThat(new PropertyFinder(Use.KEY, Component.class)
                        .marked()
                        .orElseThrow()
                        .name())
                .isEqualTo("id");
    }

    @ParameterizedTest
    @ValueSource(classes = {TwoComponents.class, SecondKey.class})
    void twoKeysAreRefused(Class<?> event) {
        assertThatThrownBy(() -> new PropertyFinder(Use.KEY, event).marked())
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0111: " + event.getName())
                .hasMessageContaining("more than one property");
    }

    @ParameterizedTest
    @ValueSource(classes = {StaticField.class, StaticGetter.class, WithParameter.class, Nothing.class})
    void whatCannotBeAKeyIsRefusedBeforeAnythingIsFired(Class<?> event) {
        assertThatThrownBy(() -> new PropertyFinder(Use.KEY, event).marked())
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0111: " + event.getName());
    }

    @Test
    void nullKeyIsRefusedWithTheHintToFlush() {
        assertThatThrownBy(() -> read(new PrivateField(null)))
                .hasMessageStartingWith("OBX-0105: event " + PrivateField.class.getName() + " has a null key (id)")
                .hasMessageContaining("flush");
    }

    @Test
    void keyWhoseTextIsNullIsNullToo() {
        assertThatThrownBy(() -> read(new PrivateField(new Object() {
                    @Override
                    public String toString() {
                        return null;
                    }
                })))
                .hasMessageStartingWith("OBX-0105");
    }

    @Test
    void keyThatDoesNotFitItsColumnIsRefused() {
        assertThat(read(new PrivateField("x".repeat(255)))).hasSize(255);
        assertThatThrownBy(() -> read(new PrivateField("x".repeat(256))))
                .hasMessageStartingWith("OBX-0107")
                .hasMessageContaining("has 256 characters; at most 255");
    }

    @Test
    void getterThatThrowsNamesTheEvent() {
        assertThatThrownBy(() -> read(new Throws()))
                .hasMessage("OBX-0106: event " + Throws.class.getName() + ": its key (id) cannot be used: no id yet.");
    }

    @Test
    void keyWhoseTextThrowsNamesTheEvent() {
        assertThatThrownBy(() -> read(new PrivateField(new Object() {
                    @Override
                    public String toString() {
                        throw new IllegalStateException("not loaded");
                    }
                })))
                .hasMessageStartingWith("OBX-0106: event " + PrivateField.class.getName())
                .hasMessageContaining("not loaded");
    }

    static class Named {
        private final String field = "of the field";

        String getGetter() {
            return "of the getter";
        }

        boolean isFlag() {
            return true;
        }

        String plain() {
            return "of the method";
        }

        String getBoth() {
            return "of the getter";
        }

        static String shared() {
            return "same for all";
        }

        void nothing() {}

        String withParameter(String suffix) {
            return suffix;
        }

        private final String both = "of the field";
    }

    static class InheritsNames extends Named {}

    @Test
    void keyIsFoundByTheNameOfItsProperty() {
        assertThat(named(new Named(), "field")).isEqualTo("of the field");
        assertThat(named(new Named(), "getter")).isEqualTo("of the getter");
        assertThat(named(new Named(), "flag")).isEqualTo("true");
        assertThat(named(new Named(), "plain")).isEqualTo("of the method");
        assertThat(named(new Named(), "both")).as("a getter may do more").isEqualTo("of the getter");
        assertThat(named(new Component(ID, "other"), "id")).isEqualTo(ID.toString());
        assertThat(named(new Bridged(), "id")).isEqualTo("bridged");
    }

    @Test
    void keyThatIsInheritedIsFoundByItsName() {
        assertThat(named(new InheritsNames(), "field")).isEqualTo("of the field");
        assertThat(named(new InheritsNames(), "getter")).isEqualTo("of the getter");
        assertThat(new PropertyFinder(Use.KEY, HasKey.class).named("id").read(new Implements("of an interface")))
                .isEqualTo("of an interface");
    }

    @ParameterizedTest
    @ValueSource(strings = {"missing", "Field", "nothing", "withParameter", "get", "shared"})
    void propertyThatIsNotThereIsRefused(String property) {
        assertThatThrownBy(() -> new PropertyFinder(Use.KEY, Named.class).named(property))
                .isInstanceOf(OutboxException.class)
                .hasMessageStartingWith("OBX-0111: " + Named.class.getName() + ": its key is '" + property
                        + "', which is no field, record component or getter of an event.");
    }

    @Test
    void equalKeysHaveOneText() {
        assertThat(read(new PrivateField(7L))).isEqualTo("7");
        assertThat(read(new PrivateField(new Compound("a", 1)))).isEqualTo("Compound[left=a, right=1]");
        assertThat(read(new PrivateField(Optional.of("a")))).isEqualTo("a");
        assertThat(read(new PrivateField(OptionalInt.of(7)))).isEqualTo("7");
        assertThat(read(new PrivateField(OptionalLong.of(7)))).isEqualTo("7");
        assertThat(read(new PrivateField(OptionalDouble.of(0.5)))).isEqualTo("0.5");
        for (Object none : new Object[] {Optional.empty(), OptionalInt.empty(), OptionalLong.empty()}) {
            assertThatThrownBy(() -> read(new PrivateField(none))).hasMessageStartingWith("OBX-0105");
        }
    }

    @ParameterizedTest
    @MethodSource
    void keyWithoutATextOfItsOwnIsRefused(Object key) {
        assertThatThrownBy(() -> read(new PrivateField(key)))
                .hasMessageStartingWith("OBX-0106")
                .hasMessageContaining("has no toString()");
    }

    static Stream<Object> keyWithoutATextOfItsOwnIsRefused() {
        return Stream.of(
                new Object(),
                new byte[] {1},
                Optional.of(new int[] {1}),
                new WithArray("a", new byte[] {1}),
                Optional.of(new WithArray("a", new byte[] {1})),
                new Holder(new Holder(new Object())));
    }

    record WithArray(String type, byte[] id) {}

    record Holder(Object content) {}

    /** Its text is not that of the array. */
    record WithText(byte[] id) {
        @Override
        public String toString() {
            return HexFormat.of().formatHex(id);
        }
    }

    @ParameterizedTest
    @MethodSource
    void keyWhoseTextDependsOnTheJvmIsRefused(Object key) {
        for (Object inside : new Object[] {key, new Holder(key), Optional.of(key)}) {
            assertThatThrownBy(() -> read(new PrivateField(inside)))
                    .hasMessageStartingWith("OBX-0106: event " + PrivateField.class.getName())
                    .hasMessageContaining(key.getClass().getName() + " has ");
        }
    }

    static Stream<Object> keyWhoseTextDependsOnTheJvmIsRefused() {
        return Stream.of(
                new Date(),
                new Timestamp(0),
                new GregorianCalendar(),
                Set.of("a", "b"),
                new LinkedHashSet<>(List.of("a", "b")),
                Map.of("a", "b"),
                Map.entry("a", "b"),
                new AtomicReference<>("a"),
                new AtomicReferenceArray<>(1),
                CompletableFuture.completedFuture("a"),
                new ArrayDeque<>(List.of("a")),
                List.of("a"));
    }

    @ParameterizedTest
    @MethodSource
    void compoundKeyWithAStableTextIsTaken(Object key) {
        assertThat(read(new PrivateField(key))).isEqualTo(key.toString());
    }

    static Stream<Object> compoundKeyWithAStableTextIsTaken() {
        return Stream.of(
                new WithText(new byte[] {1}),
                new Holder(new WithText(new byte[] {1})),
                new Holder(null),
                Instant.EPOCH,
                LocalDate.EPOCH,
                RetentionPolicy.CLASS,
                URI.create("order:1"),
                new StringBuilder("a"));
    }

    static class Declared<T> {
        byte[] array;
        T[] genericArray;
        Date date;
        Set<String> set;
        HashMap<String, String> map;
        WithArray record;
        List<WithArray> list;
        Optional<? extends Calendar> optional;
        Nothing nothing;
        FinalWithoutText finalClass;

        T variable;
        Object object;
        WithText withText;
        Trusted<byte[]> trusted;
        Holder holder;
        int number;
    }

    static final class FinalWithoutText {}

    interface Trusted<T> {}

    @ParameterizedTest
    @ValueSource(strings = {"array", "genericArray", "date", "set", "map", "record", "list", "finalClass"})
    void typeWithoutAStableTextIsRefusedBeforeAnythingIsFired(String property) {
        assertThatThrownBy(() -> new PropertyFinder(Use.KEY, Declared.class).named(property))
                .hasMessageStartingWith(
                        "OBX-0111: " + Declared.class.getName() + ": its key (" + property + ") has no stable text: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"optional", "nothing", "variable", "object", "withText", "trusted", "holder", "number"})
    void typeThatMayHaveAStableTextIsTaken(String property) {
        assertThatCode(() -> new PropertyFinder(Use.KEY, Declared.class).named(property))
                .doesNotThrowAnyException();
    }

    record Ordered(
            @OutboxAggregateId String id, @OutboxAggregateId Object other) {}

    record Unstable(
            @OutboxKey String key, @OutboxAggregateId Object id) {}

    @Test
    void aggregateIdIsReadLikeAKeyAndMayBeNull() {
        EventProperty id =
                new PropertyFinder(Use.AGGREGATE_ID, Unstable.class).find("").orElseThrow();
        assertThat(id.read(new Unstable("k", 17))).isEqualTo("17");
        assertThat(id.read(new Unstable("k", null))).isNull();
        assertThatThrownBy(() -> id.read(new Unstable("k", new Object())))
                .hasMessageStartingWith(
                        "OBX-0126: event " + Unstable.class.getName() + ": its aggregate id (id) cannot be used: ");
    }

    @Test
    void secondAggregateIdIsRefused() {
        assertThatThrownBy(() -> new PropertyFinder(Use.AGGREGATE_ID, Ordered.class).find(""))
                .hasMessageContaining("@OutboxAggregateId is on more than one property (id, other)");
        assertThatThrownBy(() -> new PropertyFinder(Use.AGGREGATE_ID, Unstable.class).find("key"))
                .hasMessageContaining("it has @OutboxAggregateId (id), and @OutboxEvent names the aggregate id 'key'");
    }

    @Test
    void keyOfAProxyIsThatOfWhatItStandsFor() {
        assertThat(read(new Proxied(new WithGetter(4711)))).isEqualTo("4711");
    }

    @Test
    void keyWithANulCharacterIsRefused() {
        assertThatThrownBy(() -> read(new PrivateField("a\0b")))
                .hasMessageStartingWith("OBX-0106")
                .hasMessageContaining("U+0000");
    }

    private static String named(Object event, String property) {
        return new PropertyFinder(Use.KEY, event.getClass()).named(property).read(event);
    }

    private static String read(Object event) {
        return new PropertyFinder(Use.KEY, event.getClass())
                .marked()
                .orElseThrow()
                .read(event);
    }
}
