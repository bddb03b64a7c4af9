package dev.cdioutbox.internal.capture.event;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.Set;

import jakarta.validation.ValidationException;
import jakarta.validation.Validator;

import dev.cdioutbox.OutboxException;
import org.junit.jupiter.api.Test;

/** Guards how a validator's answer is reported. The server tests use a real validator. */
class BeanValidationTest {

    @Test
    void everyViolationIsNamedInOrderAndNoValueIs() {
        Set<Object> violations =
                Set.of(violation("quantity", "must be positive"), violation("customer", "must not be blank"));

        assertThatThrownBy(() -> validator(violations).validate("event"))
                .isInstanceOf(OutboxException.class)
                .hasMessage("OBX-0113: event java.lang.String breaks its own constraints: customer must not be"
                        + " blank; quantity must be positive. Correct it before it is fired.");
    }

    @Test
    void validEventIsLeftAlone() {
        assertThatCode(() -> validator(Set.of()).validate("event")).doesNotThrowAnyException();
    }

    @Test
    void validatorThatFailsNamesTheEvent() {
        Validator failing = fake(Validator.class, method -> {
            throw new ValidationException("HV000028", new IllegalStateException("no database"));
        });

        assertThatThrownBy(() -> new BeanValidation(failing).validate("event"))
                .hasMessageStartingWith("OBX-0119: event java.lang.String")
                .hasMessageContaining("no database");
    }

    /** On a thread without a component, only the Validator behind the container's proxy works. */
    @Test
    void validatorOfTheStartAnswersWhereTheContainersDoesNot() {
        Validator direct = fake(Validator.class, validate -> Set.of(violation("quantity", "must be positive")));
        BeanValidation validator = new BeanValidation(fake(Validator.class, method -> {
            if (method.equals("unwrap")) {
                return direct;
            }
            throw new NullPointerException("getComponentMetaData() is null");
        }));
        assertThatThrownBy(() -> validator.validate("event")).hasMessageStartingWith("OBX-0119");

        validator.prepare();

        assertThatThrownBy(() -> validator.validate("event"))
                .hasMessageStartingWith("OBX-0113")
                .hasMessageContaining("quantity must be positive");
    }

    /** An application may wrap the container's Validator, for rules that no annotation states. */
    @Test
    void validatorOfTheApplicationDecidesAfterTheStart() {
        Validator wrapped = fake(Validator.class, validate -> Set.of());
        BeanValidation validator = new BeanValidation(fake(
                Validator.class,
                method -> method.equals("unwrap")
                        ? wrapped
                        : Set.of(violation("customer", "must be known to the application"))));

        validator.prepare();

        assertThatThrownBy(() -> validator.validate("event"))
                .hasMessageStartingWith("OBX-0113")
                .hasMessageContaining("customer must be known to the application");
    }

    private static BeanValidation validator(Set<Object> violations) {
        return new BeanValidation(fake(Validator.class, validate -> violations));
    }

    private static Object violation(String path, String message) {
        jakarta.validation.Path property =
                fake(jakarta.validation.Path.class, method -> method.equals("toString") ? path : null);
        return fake(jakarta.validation.ConstraintViolation.class, method -> switch (method) {
            case "getPropertyPath" -> property;
            case "getMessage" -> message;
            case "hashCode" -> path.hashCode();
            case "equals" -> false;
            default -> "a secret";
        });
    }

    private static <T> T fake(Class<T> type, Answer answer) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(),
                new Class<?>[] {type},
                (proxy, method, arguments) -> answer.to(method.getName())));
    }

    private interface Answer {
        Object to(String method);
    }
}
