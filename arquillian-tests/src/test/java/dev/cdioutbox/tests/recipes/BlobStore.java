package dev.cdioutbox.tests.recipes;

/** That of the reader: an object store, a folder, or a table. */
public interface BlobStore {
    void put(String name, byte[] content);

    byte[] get(String name);
}
