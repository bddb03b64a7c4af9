package dev.cdioutbox.internal.store;

import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.ArgumentsProvider;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.support.AnnotationConsumer;
import org.junit.jupiter.params.support.ParameterDeclarations;

/**
 * Runs a parameterized class or test once on each of these databases that the build selects. The system property {@code
 * test.databases} names the selected databases; without this property, all are selected.
 */
@Target({ElementType.TYPE, ElementType.METHOD})
@Retention(RetentionPolicy.RUNTIME)
@Inherited
@Tag("database")
@ArgumentsSource(EachDatabase.Selected.class)
public @interface EachDatabase {
    Database[] value() default {Database.H2, Database.POSTGRESQL, Database.MARIADB, Database.MYSQL};

    /** The databases that the annotation names and the build selects. */
    final class Selected implements ArgumentsProvider, AnnotationConsumer<EachDatabase> {
        private Database[] databases;

        @Override
        public void accept(EachDatabase annotation) {
            databases = annotation.value();
        }

        @Override
        public Stream<? extends Arguments> provideArguments(ParameterDeclarations parameters, ExtensionContext test) {
            Set<Database> selected = selected();
            return Arrays.stream(databases).filter(selected::contains).map(Arguments::of);
        }

        private static Set<Database> selected() {
            String names = System.getProperty("test.databases", "");
            return names.isBlank()
                    ? Set.of(Database.values())
                    : Arrays.stream(names.toUpperCase().split(","))
                            .map(String::strip)
                            .map(Database::valueOf)
                            .collect(Collectors.toSet());
        }
    }
}
