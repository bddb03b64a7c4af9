package dev.cdioutbox.protocol;

/** The actions of a node. A {@link Protocol} gives their order. */
enum Action {
    LOCK("locks the partition"),
    READ("reads"),
    LOOK("looks for rows in doubt"),
    SEND("sends"),
    SETTLE("settles"),
    PREPARE_DATABASE("prepares the database's branch"),
    PREPARE_BROKER("prepares the broker's branch"),
    LOG("logs that the transaction commits"),
    COMMIT_BROKER("commits in the broker"),
    COMMIT_DATABASE("commits in the database"),
    RELEASE("releases the claim");

    final String words;

    Action(String words) {
        this.words = words;
    }
}
