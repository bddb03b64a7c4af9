package dev.cdioutbox.testing;

import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Member;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

import jakarta.json.bind.JsonbConfig;
import jakarta.json.bind.annotation.JsonbProperty;
import jakarta.json.bind.annotation.JsonbTransient;
import jakarta.json.bind.annotation.JsonbVisibility;
import jakarta.json.bind.config.PropertyNamingStrategy;
import jakarta.json.bind.config.PropertyVisibilityStrategy;

import org.jspecify.annotations.Nullable;

/** Finds the properties of a class that JSON-B writes, and their names (Jakarta JSON Binding 3.0, 3.7, 4.1 and 4.6). */
record JsonbProperties(JsonbConfig config) {

    /**
     * A property that is written.
     *
     * @param owner the class that has it
     */
    record Property(String name, Type type, Annotated annotated, Class<?> owner) {}

    /** A getter, or a field, or both, and what interfaces annotate. */
    private static final class Found {
        private final String name;
        private final List<AnnotatedElement> inherited = new ArrayList<>();
        private @Nullable Method getter;
        private @Nullable Field field;

        Found(String name) {
            this.name = name;
        }

        private Member read() {
            return getter == null ? field : getter;
        }

        private Annotated annotated() {
            return new Annotated(Stream.concat(
                            Stream.concat(Stream.<AnnotatedElement>ofNullable(getter), inherited.stream()),
                            Stream.ofNullable(field))
                    .toList());
        }

        private Type type() {
            return getter == null ? field.getGenericType() : getter.getGenericReturnType();
        }
    }

    List<Property> of(Class<?> raw) {
        return found(raw).stream()
                .filter(this::isWritten)
                .map(property -> new Property(
                        name(property),
                        property.type(),
                        property.annotated(),
                        property.read().getDeclaringClass()))
                .toList();
    }

    private static List<Found> found(Class<?> raw) {
        Map<String, Found> all = new TreeMap<>();
        List<Class<?>> types =
                new ArrayList<>(Annotated.supertypes(raw).distinct().toList());
        // A subclass overrides what its superclass has.
        Collections.reverse(types);
        types.stream().filter(type -> !type.isInterface()).forEach(type -> {
            Stream.of(type.getDeclaredFields())
                    .filter(field -> !field.isSynthetic())
                    .forEach(field -> all.computeIfAbsent(field.getName(), Found::new).field = field);
            getters(type).forEach(getter -> all.computeIfAbsent(property(getter), Found::new).getter = getter);
        });
        Collections.reverse(types);
        types.stream()
                .filter(Class::isInterface)
                .flatMap(JsonbProperties::getters)
                .forEach(getter -> {
                    Found known = getter.isDefault()
                            ? all.computeIfAbsent(property(getter), Found::new)
                            : all.get(property(getter));
                    if (known != null) {
                        known.inherited.add(getter);
                        known.getter = known.getter == null && getter.isDefault() ? getter : known.getter;
                    }
                });
        return List.copyOf(all.values());
    }

    private static Stream<Method> getters(Class<?> type) {
        return Stream.of(type.getDeclaredMethods())
                .filter(method -> !method.isSynthetic()
                        && !Modifier.isStatic(method.getModifiers())
                        && method.getParameterCount() == 0
                        && method.getReturnType() != void.class
                        && property(method) != null);
    }

    /** The property that a method reads, or null. */
    private static @Nullable String property(Method method) {
        String name = method.getName();
        Class<?> type = method.getDeclaringClass();
        int prefix = name.startsWith("get") ? 3 : name.startsWith("is") ? 2 : 0;
        boolean isGetter = prefix > 0 && name.length() > prefix;
        if (type.isRecord()) {
            boolean isComponent = Stream.of(type.getRecordComponents())
                    .anyMatch(component -> component.getName().equals(name));
            // Yasson writes getters of a record, too, with their whole names.
            return isComponent || isGetter ? name : null;
        }
        return isGetter ? decapitalized(name.substring(prefix)) : null;
    }

    private static String decapitalized(String name) {
        boolean isAcronym =
                name.length() > 1 && Character.isUpperCase(name.charAt(0)) && Character.isUpperCase(name.charAt(1));
        return isAcronym ? name : name.substring(0, 1).toLowerCase(Locale.ROOT) + name.substring(1);
    }

    private boolean isWritten(Found property) {
        Field field = property.field;
        if (field != null && (Modifier.isStatic(field.getModifiers()) || Modifier.isTransient(field.getModifiers()))
                || property.annotated().find(JsonbTransient.class).isPresent()) {
            return false;
        }
        PropertyVisibilityStrategy strategy = visibility(property.read().getDeclaringClass());
        return strategy == null
                ? Modifier.isPublic(property.read().getModifiers())
                : property.getter != null && strategy.isVisible(property.getter)
                        || field != null && strategy.isVisible(field);
    }

    private @Nullable PropertyVisibilityStrategy visibility(Class<?> owner) {
        return Annotated.of(owner)
                .find(JsonbVisibility.class)
                .map(JsonbProperties::strategy)
                .or(() -> config.getProperty(JsonbConfig.PROPERTY_VISIBILITY_STRATEGY)
                        .map(PropertyVisibilityStrategy.class::cast))
                .orElse(null);
    }

    private static PropertyVisibilityStrategy strategy(JsonbVisibility annotation) {
        try {
            return annotation.value().getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException e) {
            throw new IllegalArgumentException(annotation.value().getName(), e);
        }
    }

    private String name(Found property) {
        return property.annotated()
                .all(JsonbProperty.class)
                .map(JsonbProperty::value)
                .filter(name -> !name.isEmpty())
                .findFirst()
                .orElseGet(() -> translated(property.name));
    }

    private String translated(String name) {
        Object strategy =
                config.getProperty(JsonbConfig.PROPERTY_NAMING_STRATEGY).orElse(PropertyNamingStrategy.IDENTITY);
        if (strategy instanceof PropertyNamingStrategy own) {
            return own.translateName(name);
        }
        String upper = name.substring(0, 1).toUpperCase(Locale.ROOT) + name.substring(1);
        return switch ((String) strategy) {
            case PropertyNamingStrategy.LOWER_CASE_WITH_DASHES ->
                words(name, "-").toLowerCase(Locale.ROOT);
            case PropertyNamingStrategy.LOWER_CASE_WITH_UNDERSCORES ->
                words(name, "_").toLowerCase(Locale.ROOT);
            case PropertyNamingStrategy.UPPER_CAMEL_CASE -> upper;
            case PropertyNamingStrategy.UPPER_CAMEL_CASE_WITH_SPACES -> words(upper, " ");
            default -> name;
        };
    }

    private static String words(String name, String separator) {
        return name.replaceAll("(?<=\\p{Ll})(?=\\p{Lu})", separator);
    }
}
