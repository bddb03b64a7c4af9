package dev.cdioutbox.tests.capture;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Table;
import jakarta.persistence.Transient;

/** A business row, which shows whether its transaction committed. */
@Entity
@Table(name = "capture_booking")
public class Booking {
    @Id
    private String id;

    private int content;

    @Transient
    private Runnable whenWritten;

    protected Booking() {}

    Booking(String id, Runnable whenWritten) {
        this.id = id;
        this.whenWritten = whenWritten;
    }

    /** The flush calls this method: at the commit, or earlier if the application flushes. */
    @PostPersist
    void written() {
        if (whenWritten != null) {
            whenWritten.run();
        }
    }

    void change(int content) {
        this.content = content;
    }
}
