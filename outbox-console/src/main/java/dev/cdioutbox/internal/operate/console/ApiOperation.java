package dev.cdioutbox.internal.operate.console;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.BinaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.cdioutbox.internal.operate.DeadLetterOperations.DeadLetterBatch;

/**
 * An operation of the API. {@link #ALL} is the only list: the servlet dispatches by it, and tests compare it with
 * openapi.yaml, docs/api.md, and the answers.
 *
 * @param role which a user needs
 * @param path below the API; <code>{id}</code> there is a parameter
 * @param bean the class of the CDI bean that answers
 * @param answer the type of the answer, which JSON-B writes, interfaces of the public API and records; or a download
 */
record ApiOperation<B, A>(
        String method,
        Role role,
        String path,
        List<Parameter<?>> parameters,
        Class<B> bean,
        BiFunction<B, ApiRequest, A> handler,
        Class<A> answer) {

    private static final Pattern VARIABLE = Pattern.compile("\\{(\\w+)}");

    static final List<ApiOperation<?, ?>> ALL = List.of(
            get(Role.VIEWER, "state", ConsoleApi.class, ConsoleApi::state, StateView.class),
            get(Role.VIEWER, "diagnosis", ConsoleApi.class, ConsoleApi::diagnosis, ConsoleApi.Diagnosis.class),
            get(
                    Role.VIEWER,
                    "messages",
                    ConsoleApi.class,
                    ConsoleApi::messages,
                    ConsoleApi.MessagePage.class,
                    filterAnd(Parameter.BELOW, Parameter.LIMIT)),
            get(
                    Role.VIEWER,
                    "messages/{id}",
                    ConsoleApi.class,
                    ConsoleApi::message,
                    ConsoleApi.MessageDetails.class,
                    Parameter.ID),
            get(
                    Role.SUPPORT,
                    "messages/{id}/payload",
                    ConsoleApi.class,
                    ConsoleApi::payload,
                    ConsoleServlet.Download.class,
                    Parameter.ID),
            post(
                    Role.OPERATOR,
                    "messages/{id}/{action}",
                    ConsoleApi.class,
                    ConsoleApi::changeMessage,
                    ConsoleApi.Changed.class,
                    Parameter.ID,
                    Parameter.ACTION,
                    Parameter.OPERATION),
            get(
                    Role.VIEWER,
                    "changes/{action}",
                    ConsoleApi.class,
                    ConsoleApi::preview,
                    ConsoleApi.Preview.class,
                    filterAnd(Parameter.ACTION)),
            post(
                    Role.OPERATOR,
                    "changes/{action}",
                    ConsoleApi.class,
                    ConsoleApi::changeMessages,
                    ConsoleApi.Changed.class,
                    filterAnd(Parameter.ACTION, Parameter.BELOW.required(), Parameter.AFTER, Parameter.OPERATION)),
            get(
                    Role.VIEWER,
                    "blocked-keys",
                    ConsoleApi.class,
                    ConsoleApi::blockedKeys,
                    ConsoleApi.BlockedKeyList.class),
            post(
                    Role.OPERATOR,
                    "pause",
                    ConsoleApi.class,
                    ConsoleApi::pause,
                    ConsoleApi.Changed.class,
                    Parameter.DESTINATION.required()),
            post(
                    Role.OPERATOR,
                    "resume",
                    ConsoleApi.class,
                    ConsoleApi::resume,
                    ConsoleApi.Changed.class,
                    Parameter.DESTINATION.required()),
            post(
                    Role.OPERATOR,
                    "backfill",
                    ConsoleApi.class,
                    ConsoleApi::backfill,
                    ConsoleApi.Changed.class,
                    Parameter.DESTINATION.required(),
                    Parameter.SOURCE.required(),
                    Parameter.TYPES.required(),
                    Parameter.FROM.required()),
            post(
                    Role.OPERATOR,
                    "cancel-backfill",
                    ConsoleApi.class,
                    ConsoleApi::cancelBackfill,
                    ConsoleApi.Changed.class,
                    Parameter.DESTINATION.required()),
            get(
                    Role.VIEWER,
                    "dead-letters",
                    DeadLetterApi.class,
                    DeadLetterApi::find,
                    DeadLetterApi.DeadLetterPage.class,
                    lettersAnd(Parameter.QUEUE, Parameter.AFTER)),
            get(
                    Role.VIEWER,
                    "dead-letters/count",
                    DeadLetterApi.class,
                    DeadLetterApi::count,
                    ConsoleApi.Preview.class,
                    lettersAnd(Parameter.QUEUE.required())),
            post(
                    Role.OPERATOR,
                    "dead-letters/send-back",
                    DeadLetterApi.class,
                    DeadLetterApi::sendBack,
                    DeadLetterBatch.class,
                    lettersAnd(Parameter.QUEUE.required(), Parameter.BELOW.required(), Parameter.AFTER)),
            post(
                    Role.OPERATOR,
                    "dead-letters/discard",
                    DeadLetterApi.class,
                    DeadLetterApi::discard,
                    DeadLetterBatch.class,
                    lettersAnd(Parameter.QUEUE.required(), Parameter.BELOW.required(), Parameter.AFTER)),
            get(
                    Role.VIEWER,
                    "audit",
                    ConsoleApi.class,
                    ConsoleApi::audit,
                    ConsoleApi.AuditPage.class,
                    Parameter.BELOW,
                    Parameter.LIMIT));

    private static <B, A> ApiOperation<B, A> get(
            Role role,
            String path,
            Class<B> bean,
            BiFunction<B, ApiRequest, A> handler,
            Class<A> answer,
            Parameter<?>... parameters) {
        return of("GET", role, path, bean, handler, answer, parameters);
    }

    private static <B, A> ApiOperation<B, A> post(
            Role role,
            String path,
            Class<B> bean,
            BiFunction<B, ApiRequest, A> handler,
            Class<A> answer,
            Parameter<?>... parameters) {
        return of("POST", role, path, bean, handler, answer, parameters);
    }

    /** Each operation is one of an outbox. */
    private static <B, A> ApiOperation<B, A> of(
            String method,
            Role role,
            String path,
            Class<B> bean,
            BiFunction<B, ApiRequest, A> handler,
            Class<A> answer,
            Parameter<?>... parameters) {
        List<Parameter<?>> all = new ArrayList<>(List.of(parameters));
        all.add(Parameter.OUTBOX);
        return new ApiOperation<>(method, role, path, List.copyOf(all), bean, handler, answer);
    }

    private static Parameter<?>[] filterAnd(Parameter<?>... others) {
        return Stream.concat(Arrays.stream(others), Parameter.FILTER.stream()).toArray(Parameter<?>[]::new);
    }

    private static Parameter<?>[] lettersAnd(Parameter<?>... others) {
        return Stream.concat(Arrays.stream(others), Stream.of(Parameter.MESSAGE, Parameter.TYPE, Parameter.KEY))
                .toArray(Parameter<?>[]::new);
    }

    /** The operation of a request; refuses a path or a method without one. */
    static ApiOperation<?, ?> find(String method, String path) {
        List<ApiOperation<?, ?>> there = ALL.stream()
                .filter(operation -> operation.matcher(path).matches())
                .toList();
        if (there.isEmpty()) {
            throw RequestRefusedException.notFound();
        }
        return there.stream()
                .filter(operation -> operation.method.equals(method))
                .findFirst()
                .orElseThrow(() -> new RequestRefusedException(405, "GET reads and POST changes."));
    }

    private Matcher matcher(String actual) {
        return Pattern.compile(VARIABLE.matcher(path).replaceAll("(?<$1>[^/]+)"))
                .matcher(actual);
    }

    boolean isInPath(Parameter<?> parameter) {
        return path.contains("{" + parameter.name() + "}");
    }

    /**
     * Reads the parameters of a request. Refuses a user whose role is too low for the operation, or for one of them. Refuses any
     * that the operation does not know: a misspelt filter would select all messages.
     *
     * @param asking the role of the user
     * @param given the parameters of the query, or of the form
     */
    ApiRequest request(String user, Role asking, String actualPath, Map<String, String[]> given) {
        Role needed = needed(given.keySet());
        if (!asking.includes(needed)) {
            throw RequestRefusedException.needs(needed.label());
        }
        Matcher inPath = matcher(actualPath);
        inPath.matches();
        Map<String, List<?>> values = new HashMap<>();
        for (Parameter<?> parameter : parameters) {
            String[] texts = isInPath(parameter)
                    ? new String[] {inPath.group(parameter.name())}
                    : given.getOrDefault(parameter.name(), new String[0]);
            values.put(parameter.name(), values(parameter, texts));
        }
        if (!given.keySet().stream().allMatch(this::isKnownInQuery)) {
            throw RequestRefusedException.badRequest("This operation has no such parameter. It has: "
                    + values.keySet().stream()
                            .filter(this::isKnownInQuery)
                            .sorted()
                            .collect(Collectors.joining(", "))
                    + ".");
        }
        return new ApiRequest(user, asking, values);
    }

    /** The highest role of the operation and of the parameters with these names. */
    private Role needed(Set<String> names) {
        return parameters.stream()
                .filter(parameter -> names.contains(parameter.name()))
                .map(Parameter::role)
                .reduce(role, BinaryOperator.maxBy(Comparator.naturalOrder()));
    }

    private boolean isKnownInQuery(String name) {
        return parameters.stream().anyMatch(parameter -> parameter.name().equals(name) && !isInPath(parameter));
    }

    private static List<?> values(Parameter<?> parameter, String[] texts) {
        if (parameter.isRequired() && texts.length == 0) {
            throw RequestRefusedException.badRequest(parameter.name() + " is missing.");
        }
        if (texts.length > 1 && !parameter.isRepeatable()) {
            throw RequestRefusedException.badRequest(parameter.name() + " may be given once only.");
        }
        return Arrays.stream(texts).map(parameter::valueOf).toList();
    }
}
