package dev.cdioutbox.internal.operate;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxBacklog;
import dev.cdioutbox.OutboxFilter;
import dev.cdioutbox.OutboxMessage;
import dev.cdioutbox.OutboxOperations;
import dev.cdioutbox.internal.store.OutboxStore;

/** The operations, on the store. */
@ApplicationScoped
class StoredOperations implements OutboxOperations {
    private final OutboxStore store;

    /** For the container's proxy. */
    StoredOperations() {
        this(null);
    }

    @Inject
    StoredOperations(OutboxStore store) {
        this.store = store;
    }

    @Override
    public List<OutboxMessage> find(OutboxFilter filter) {
        return store.find(filter, null);
    }

    @Override
    public Optional<OutboxMessage> get(UUID id) {
        return store.find(OutboxFilter.all().withLimit(1), id.toString()).stream()
                .findFirst();
    }

    @Override
    public OutboxBacklog status() {
        return store.backlog();
    }
}
