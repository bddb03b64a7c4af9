package dev.cdioutbox.protocol;

/**
 * The work of one batch in the broker and in the database.
 *
 * @param sent the messages that are sent
 * @param failed the messages that are charged an attempt
 * @param broker the broker's branch
 * @param database the database's branch
 * @param logged whether the log of the transaction manager has the decision to commit
 */
record Delivery(Messages sent, Messages failed, Branch broker, Branch database, boolean logged) {
    static final Delivery NOTHING = new Delivery(Messages.NONE, Messages.NONE, Branch.NONE, Branch.NONE, false);

    Delivery of(Messages nowSent, Messages nowFailed) {
        return new Delivery(nowSent, nowFailed, broker, database, logged);
    }

    Delivery broker(Branch now) {
        return new Delivery(sent, failed, now, database, logged);
    }

    Delivery database(Branch now) {
        return new Delivery(sent, failed, broker, now, logged);
    }

    Delivery logged(boolean now) {
        return new Delivery(sent, failed, broker, database, now);
    }

    Delivery afterDeath() {
        return new Delivery(sent, failed, broker.afterDeath(), database.afterDeath(), logged);
    }

    /** Whether recovery or an operator has to end a branch. */
    boolean isInDoubt() {
        return broker == Branch.PREPARED || database == Branch.PREPARED;
    }

    /** Different for each value, so that the search has no collisions. */
    @Override
    public int hashCode() {
        int branches = broker.ordinal() << 2 | database.ordinal();
        return sent.bits() << 12 | failed.bits() << 6 | branches << 1 | (logged ? 1 : 0);
    }

    Messages settled() {
        return sent.and(failed);
    }

    Messages lockedRows() {
        return database.holdsLocks() ? settled() : Messages.NONE;
    }
}
