package dev.cdioutbox.internal.operate.console;

import java.io.ByteArrayOutputStream;

import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;

/** The output of a response, kept in memory. */
final class MemoryOutput extends ServletOutputStream {
    private final ByteArrayOutputStream content;

    MemoryOutput(ByteArrayOutputStream content) {
        this.content = content;
    }

    @Override
    public void write(int one) {
        content.write(one);
    }

    @Override
    public boolean isReady() {
        return true;
    }

    @Override
    public void setWriteListener(WriteListener listener) {
        throw new UnsupportedOperationException();
    }
}
