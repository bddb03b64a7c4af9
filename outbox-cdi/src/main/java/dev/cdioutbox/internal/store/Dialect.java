package dev.cdioutbox.internal.store;

import java.util.Arrays;
import java.util.Optional;

/** What differs between databases, as few words of SQL as will do. */
enum Dialect {
    H2("H2", "h2") {
        @Override
        String now() {
            return "CURRENT_TIMESTAMP";
        }

        @Override
        String nowPlusMillis() {
            return "DATEADD(MILLISECOND, CAST(? AS BIGINT), CURRENT_TIMESTAMP)";
        }

        @Override
        String timestamp() {
            return "TIMESTAMP(6) WITH TIME ZONE";
        }

        @Override
        String currentSchema() {
            return "CURRENT_SCHEMA";
        }

        @Override
        boolean locksWhatItReturns() {
            return false;
        }
    },
    POSTGRESQL("PostgreSQL", "postgresql") {
        @Override
        String now() {
            return "clock_timestamp()";
        }

        @Override
        String nowPlusMillis() {
            return "clock_timestamp() + CAST(? AS BIGINT) * INTERVAL '1 millisecond'";
        }

        @Override
        String timestamp() {
            return "TIMESTAMPTZ";
        }

        @Override
        String currentSchema() {
            return "current_schema()";
        }

        @Override
        boolean locksWhatItReturns() {
            return true;
        }
    };

    private final String product;
    private final String folder;

    Dialect(String product, String folder) {
        this.product = product;
        this.folder = folder;
    }

    /** The database's clock, at this moment rather than at the start of the transaction where it can tell. */
    abstract String now();

    /** The database's clock and a number of milliseconds, which is the statement's parameter; null if that is null. */
    abstract String nowPlusMillis();

    /** The type of the columns that hold times. */
    abstract String timestamp();

    /** The schema in which a table without a schema's name is made. */
    abstract String currentSchema();

    /** Whether FOR UPDATE with a limit locks the rows that it returns; if not, it locks whatever it looked at. */
    abstract boolean locksWhatItReturns();

    String product() {
        return product;
    }

    /** The resource folder of the schema files. */
    String folder() {
        return folder;
    }

    static Optional<Dialect> of(String productName) {
        return Arrays.stream(values())
                .filter(d -> d.product.equals(productName))
                .findFirst();
    }
}
