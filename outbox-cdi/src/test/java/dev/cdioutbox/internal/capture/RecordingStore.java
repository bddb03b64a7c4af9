package dev.cdioutbox.internal.capture;

import java.util.ArrayList;
import java.util.List;

import dev.cdioutbox.internal.store.NewMessage;
import dev.cdioutbox.internal.store.capture.CaptureStore;
import dev.cdioutbox.internal.store.open.JdbcOutboxStore;

/** A store that records writes, or fails them. */
public final class RecordingStore implements CaptureStore {
    final List<List<NewMessage>> writes = new ArrayList<>();
    Throwable failure;
    RuntimeException refusal;

    List<List<String>> texts() {
        return writes.stream()
                .map(write -> write.stream().map(m -> m.body().text()).toList())
                .toList();
    }

    /** A store that can only capture. */
    public JdbcOutboxStore opened() {
        return new JdbcOutboxStore(
                null, this, null, null, null, null, null, null, null, null, null, null, null, null, null, null, null,
                null, null, null, null);
    }

    @Override
    public void require(List<NewMessage> messages) {
        if (refusal != null) {
            throw refusal;
        }
    }

    @Override
    public void write(List<NewMessage> messages) {
        if (failure instanceof RuntimeException e) {
            throw e;
        }
        if (failure instanceof Error e) {
            throw e;
        }
        writes.add(messages);
    }
}
