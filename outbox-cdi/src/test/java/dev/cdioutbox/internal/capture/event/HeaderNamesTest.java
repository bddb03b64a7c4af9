package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Locale;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullAndEmptySource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that a header has a name that JMS accepts and that the outbox does not set itself. */
class HeaderNamesTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "region",
                "_x",
                "$x",
                "a1",
                "größe",
                "Region",
                "JM",
                "jm_s",
                "NULLS",
                "order",
                "in_",
                "messageid",
                "MessageId"
            })
    void javaIdentifiersAreNames(String name) {
        assertThat(HeaderNames.problem(name)).isNull();
    }

    @ParameterizedTest
    @NullAndEmptySource
    @ValueSource(strings = {" ", "1a", "a-b", "a.b", "a b", "-", "x-request-id", "a:b", " a", "a ", "\uD83D\uDE00"})
    void whatIsNoJavaIdentifierIsRefused(String name) {
        assertThat(HeaderNames.problem(name)).isEqualTo("is no JMS property name: it must be a Java identifier");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a\0", "a\u0001b", "a\u007f", "a\u00ad", "a\u200b", "a\u200d", "a\ufeff"})
    void nameWithACharacterThatIsNotSeenIsRefused(String name) {
        assertThat(HeaderNames.problem(name)).startsWith("contains the invisible character U+");
    }

    @ParameterizedTest
    @ValueSource(strings = {"JMS", "jms", "JMSType", "jmsx", "JmsXGroupID", "JMS_IBM_Format"})
    void namesOfTheProviderAreRefused(String name) {
        assertThat(HeaderNames.problem(name)).isEqualTo("begins with JMS, which belongs to the provider");
    }

    @ParameterizedTest
    @ValueSource(strings = {"NULL", "TRUE", "FALSE", "NOT", "AND", "OR", "BETWEEN", "LIKE", "IN", "IS", "ESCAPE"})
    void wordsOfTheSelectorLanguageAreRefusedInAnyCase(String word) {
        String lower = word.toLowerCase(Locale.ROOT);
        for (String name :
                new String[] {word, lower, lower.substring(0, 1).toUpperCase(Locale.ROOT) + lower.substring(1)}) {
            assertThat(HeaderNames.problem(name)).as(name).isEqualTo("is a word of the JMS selector language");
        }
    }

    /** In a Turkish locale, i has another capital letter; the words of JMS depend on no locale. */
    @ParameterizedTest
    @ValueSource(strings = {"in", "is", "like"})
    void wordsOfTheSelectorLanguageAreTheSameInEveryCountry(String word) {
        Locale before = Locale.getDefault();
        Locale.setDefault(Locale.forLanguageTag("tr"));
        try {
            assertThat(HeaderNames.problem(word)).isEqualTo("is a word of the JMS selector language");
        } finally {
            Locale.setDefault(before);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "messageId",
                "sequence",
                "eventType",
                "schemaVersion",
                "aggregateType",
                "aggregateId",
                "messageKey",
                "occurredAt",
                "contentType",
                "tenantId",
                "causationId",
                "traceparent",
                "tracestate"
            })
    void namesThatTheOutboxSetsAreRefused(String name) {
        assertThat(HeaderNames.problem(name)).isEqualTo("is set by the outbox itself");
    }
}
