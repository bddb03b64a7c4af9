package dev.cdioutbox.internal.operate.console;

import java.util.List;
import java.util.Map;

import dev.cdioutbox.OutboxStatus;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.operate.OutboxFilter;
import dev.cdioutbox.operate.OutboxPageRequest;

/** The parameters of a request, as its {@link ApiOperation} has read them. */
record ApiRequest(String user, Role role, Map<String, List<?>> values) {

    /** Null if the request does not have it. */
    <T> T get(Parameter<T> parameter) {
        return all(parameter).stream().findFirst().orElse(null);
    }

    <T> List<T> all(Parameter<T> parameter) {
        return values.getOrDefault(parameter.name(), List.of()).stream()
                .map(parameter.type()::cast)
                .toList();
    }

    /** The name of the outbox that the operation concerns. */
    String outbox() {
        String name = get(Parameter.OUTBOX);
        return name == null ? OutboxConfig.DEFAULT_OUTBOX : name;
    }

    /** What of the answer the user sees. */
    Disclosure disclosure() {
        return new Disclosure(role);
    }

    OutboxFilter filter() {
        try {
            return OutboxFilter.all()
                    .withStatus(all(Parameter.STATUS).toArray(OutboxStatus[]::new))
                    .withEventType(get(Parameter.TYPE))
                    .withKey(get(Parameter.KEY))
                    .withAggregateId(get(Parameter.AGGREGATE))
                    .withDestination(get(Parameter.DESTINATION))
                    .withCorrelationId(get(Parameter.CORRELATION))
                    .withCausationId(get(Parameter.CAUSATION))
                    .withTenantId(get(Parameter.TENANT))
                    .withCreated(get(Parameter.FROM), get(Parameter.BEFORE))
                    .withError(get(Parameter.ERROR));
        } catch (IllegalArgumentException impossible) {
            throw RequestRefusedException.badRequest(impossible.getMessage() + ".");
        }
    }

    /** The part of the matching messages that the request names. */
    OutboxPageRequest range(int defaultLimit) {
        Integer limit = get(Parameter.LIMIT);
        return OutboxPageRequest.of(limit == null ? defaultLimit : limit)
                .withAfter(get(Parameter.AFTER))
                .withBefore(get(Parameter.BELOW));
    }
}
