package dev.cdioutbox.internal.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;

import org.junit.jupiter.api.Test;

/** Guards that a misspelt name gets a suggestion only if a known name is near. */
class SpellingTest {
    private static final Set<String> KNOWN = Set.of("BookingMade", "BookingCancelled", "Paid");

    @Test
    void suggestsTheNearestName() {
        assertThat(Spelling.suggestion("BookngMade", KNOWN)).isEqualTo(" (did you mean 'BookingMade'?)");
        assertThat(Spelling.suggestion("bookingmade", KNOWN)).isEqualTo(" (did you mean 'BookingMade'?)");
    }

    @Test
    void suggestsNothingIfNoNameIsNear() {
        assertThat(Spelling.suggestion("Refunded", KNOWN)).isEmpty();
        assertThat(Spelling.suggestion("Made", Set.of())).isEmpty();
    }
}
