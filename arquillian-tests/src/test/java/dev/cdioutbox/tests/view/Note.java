package dev.cdioutbox.tests.view;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** A table of the application, which each deployment drops and creates. */
@Entity
@Table(name = "view_note")
public class Note {
    @Id
    private String id;

    protected Note() {}

    Note(String id) {
        this.id = id;
    }

    String getId() {
        return id;
    }
}
