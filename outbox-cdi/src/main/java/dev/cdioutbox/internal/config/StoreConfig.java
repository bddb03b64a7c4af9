package dev.cdioutbox.internal.config;

/** Which tables, in which database; fixed while the application runs. */
public record StoreConfig(
        String dataSource, SchemaMode schema, String tablePrefix, String application, int partitions) {

    public enum SchemaMode {
        CREATE,
        VALIDATE,
        NONE
    }
}
