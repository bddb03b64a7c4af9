package dev.cdioutbox.tests.server;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;

/** Decodes a message of the protobuf wire format; the caller names a field by its number. */
final class Protobuf {
    private final Map<Integer, List<Object>> fields = new HashMap<>();

    Protobuf(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        while (in.hasRemaining()) {
            long tag = varint(in);
            Object value =
                    switch ((int) tag & 7) {
                        case 0 -> varint(in);
                        case 1 -> in.getLong();
                        case 2 -> {
                            byte[] content = new byte[(int) varint(in)];
                            in.get(content);
                            yield content;
                        }
                        case 5 -> (long) in.getInt();
                        default -> throw new IllegalArgumentException("wire type of tag " + tag);
                    };
            fields.computeIfAbsent((int) (tag >>> 3), f -> new ArrayList<>()).add(value);
        }
    }

    private static long varint(ByteBuffer in) {
        long value = 0;
        for (int shift = 0; ; shift += 7) {
            byte next = in.get();
            value |= (long) (next & 0x7f) << shift;
            if (next >= 0) {
                return value;
            }
        }
    }

    List<Protobuf> messages(int field) {
        return fields.getOrDefault(field, List.of()).stream()
                .map(content -> new Protobuf((byte[]) content))
                .toList();
    }

    /** Returns an empty text if the field is absent or is not a byte sequence. */
    String text(int field) {
        return new String(bytes(field), StandardCharsets.UTF_8);
    }

    String hex(int field) {
        return HexFormat.of().formatHex(bytes(field));
    }

    long number(int field) {
        return (Long) fields.getOrDefault(field, List.of(0L)).get(0);
    }

    double real(int field) {
        return Double.longBitsToDouble(number(field));
    }

    double[] reals(int field) {
        return LongStream.of(longs(field)).mapToDouble(Double::longBitsToDouble).toArray();
    }

    /** The values of a packed field of eight bytes each. */
    long[] longs(int field) {
        LongBuffer values =
                ByteBuffer.wrap(bytes(field)).order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
        long[] all = new long[values.remaining()];
        values.get(all);
        return all;
    }

    private byte[] bytes(int field) {
        return fields.getOrDefault(field, List.of()).stream()
                .filter(byte[].class::isInstance)
                .map(byte[].class::cast)
                .findFirst()
                .orElse(new byte[0]);
    }
}
