package dev.cdioutbox.internal.operate.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.Map;

import jakarta.servlet.ReadListener;
import jakarta.servlet.ServletInputStream;
import jakarta.servlet.http.HttpServletRequest;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Guards that no change loses its filter with a body that the container does not read, or not to its end. */
class RequestParametersTest {
    private static final String FORM = "application/x-www-form-urlencoded";
    private static final Map<String, String[]> SOME = Map.of("below", new String[] {"5"});
    private static final Map<String, String[]> NONE = Map.of();

    @ParameterizedTest
    @ValueSource(strings = {FORM, FORM + ";charset=UTF-8", "Application/X-WWW-Form-URLEncoded ; charset=x"})
    void formIsRead(String type) {
        assertThat(RequestParameters.of(request("POST", type, 7, true, null, SOME)))
                .isEqualTo(SOME);
        assertThat(RequestParameters.of(request("POST", type, -1, true, null, SOME)))
                .isEqualTo(SOME);
    }

    @Test
    void withoutABodyTheAddressIsRead() {
        assertThat(RequestParameters.of(request("GET", null, -1, false, "below=5", SOME)))
                .isEqualTo(SOME);
        assertThat(RequestParameters.of(request("POST", null, 0, false, "below=5", SOME)))
                .isEqualTo(SOME);
        assertThat(RequestParameters.of(request("POST", FORM, 0, false, "below=5", SOME)))
                .isEqualTo(SOME);
        assertThat(RequestParameters.of(request("POST", FORM, -1, false, "below=5", SOME)))
                .isEqualTo(SOME);
    }

    /** As Open Liberty reads it. */
    @Test
    void formWithoutABodyHasNoParameterWithoutAName() {
        Map<String, String[]> read = Map.of("below", SOME.get("below"), "", new String[] {""});

        assertThat(RequestParameters.of(request("POST", FORM, 0, false, "below=5", read)))
                .isEqualTo(SOME);
    }

    @ParameterizedTest
    @CsvSource({
        "POST, application/json, 17, 415",
        "POST, application/json, -1, 415",
        "POST, multipart/form-data; boundary=x, 17, 415",
        "POST, text/plain, 17, 415",
        "POST,, 17, 415",
        "POST,, -1, 415",
        "GET, application/x-www-form-urlencoded, 17, 400",
        "HEAD,, -1, 400"
    })
    void bodyThatIsNoFormOfAChangeIsRefused(String method, String type, int length, int status) {
        assertRefused(status, request(method, type, length, true, "below=5", SOME));
    }

    /** Such as one that logs each request. */
    @Test
    void bodyThatAFilterHasTakenAsAReaderIsNone() {
        assertThat(RequestParameters.of(taken("GET"))).isEqualTo(SOME);
        assertRefused(415, taken("POST"));
    }

    private static HttpServletRequest taken(String method) {
        HttpServletRequest other = request(method, null, -1, false, "below=5", SOME);
        return (HttpServletRequest) Proxy.newProxyInstance(
                RequestParametersTest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, asked, arguments) -> {
                    if (asked.getName().equals("getInputStream")) {
                        throw new IllegalStateException("getReader() was called");
                    }
                    return asked.invoke(other, arguments);
                });
    }

    /** The container answers with the parameters of the address then, as if there were no others. */
    @Test
    void formThatBreaksOffIsRefused() {
        assertRefused(400, request("POST", FORM, 60, false, null, NONE));
        assertRefused(400, request("POST", FORM, -1, false, null, NONE));
        assertRefused(400, request("POST", FORM, 60, false, "below=5", SOME));
        assertRefused(400, request("POST", null, -1, null, "below=5", SOME));
    }

    private static void assertRefused(int status, HttpServletRequest request) {
        assertThatExceptionOfType(RequestRefusedException.class)
                .isThrownBy(() -> RequestParameters.of(request))
                .returns(status, RequestRefusedException::status)
                .returns("OBX-0615", RequestRefusedException::code);
    }

    /**
     * @param hasBody null if the connection breaks off
     * @param known the parameters that the container has read
     */
    private static HttpServletRequest request(
            String method, String type, long length, Boolean hasBody, String query, Map<String, String[]> known) {
        return (HttpServletRequest) Proxy.newProxyInstance(
                RequestParametersTest.class.getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (proxy, asked, arguments) -> switch (asked.getName()) {
                    case "getMethod" -> method;
                    case "getContentType" -> type;
                    case "getContentLengthLong" -> length;
                    case "getInputStream" -> new Body(hasBody);
                    case "getQueryString" -> query;
                    case "getParameterMap" -> known;
                    default -> throw new UnsupportedOperationException(asked.getName());
                });
    }

    private static final class Body extends ServletInputStream {
        private final Boolean hasBody;

        Body(Boolean hasBody) {
            this.hasBody = hasBody;
        }

        @Override
        public int read() throws IOException {
            if (hasBody == null) {
                throw new IOException("broken off");
            }
            return hasBody ? 'x' : -1;
        }

        @Override
        public boolean isFinished() {
            return false;
        }

        @Override
        public boolean isReady() {
            return true;
        }

        @Override
        public void setReadListener(ReadListener listener) {
            throw new UnsupportedOperationException();
        }
    }
}
