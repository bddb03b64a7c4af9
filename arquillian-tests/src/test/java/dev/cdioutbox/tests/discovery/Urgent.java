package dev.cdioutbox.tests.discovery;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.inject.Qualifier;

/** A qualifier that the outbox does not know. */
@Qualifier
@Retention(RetentionPolicy.RUNTIME)
public @interface Urgent {

    final class Literal extends AnnotationLiteral<Urgent> implements Urgent {
        private static final long serialVersionUID = 1L;
    }
}
