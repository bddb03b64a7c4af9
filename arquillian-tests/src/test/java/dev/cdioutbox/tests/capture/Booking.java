package dev.cdioutbox.tests.capture;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.PostPersist;
import jakarta.persistence.Table;
import jakarta.persistence.Transient;

/** A business row. It is there if its transaction committed. */
@Entity
@Table(name = "capture_booking")
public class Booking {
    @Id
    private String id;

    private int content;

    @Transient
    private Runnable whenWritten;

    /** For Jakarta Persistence. */
    protected Booking() {}

    Booking(String id, Runnable whenWritten) {
        this.id = id;
        this.whenWritten = whenWritten;
    }

    /** Called by the flush, which is part of the commit unless somebody asks for it before. */
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
