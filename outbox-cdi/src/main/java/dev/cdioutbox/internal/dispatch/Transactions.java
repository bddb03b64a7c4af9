package dev.cdioutbox.internal.dispatch;

import java.util.concurrent.Callable;

/** The container's transactions, as the engine needs them. Whatever the work throws rolls its transaction back. */
public interface Transactions {

    /** Runs work in a new global transaction and commits it. */
    <T> T inNew(Callable<T> work) throws Exception;

    /** Runs work outside of any global transaction, and apart from the connections of its caller. */
    <T> T outside(Callable<T> work) throws Exception;
}
