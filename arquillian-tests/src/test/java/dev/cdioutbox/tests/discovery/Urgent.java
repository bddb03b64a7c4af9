package dev.cdioutbox.tests.discovery;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

import jakarta.enterprise.util.AnnotationLiteral;
import jakarta.inject.Qualifier;

/** A qualifier that the outbox knows nothing of. */
@Qualifier
@Retention(RetentionPolicy.RUNTIME)
public @interface Urgent {

    /** The only one there is. */
    final class Literal extends AnnotationLiteral<Urgent> implements Urgent {
        private static final long serialVersionUID = 1L;
    }
}
