package dev.cdioutbox.testing;

import java.lang.reflect.GenericArrayType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.lang.reflect.WildcardType;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** A type whose variables are known. The argument of an array is the type of its elements. */
record BoundType(Class<?> raw, List<BoundType> arguments) {
    private static final BoundType OBJECT = of(Object.class);

    static BoundType of(Class<?> raw) {
        return new BoundType(raw, List.of());
    }

    static BoundType of(Type type, Map<TypeVariable<?>, BoundType> variables) {
        if (type instanceof Class<?> raw) {
            return new BoundType(raw, raw.isArray() ? List.of(of(raw.getComponentType(), variables)) : List.of());
        }
        if (type instanceof ParameterizedType generic) {
            return new BoundType(
                    (Class<?>) generic.getRawType(),
                    Stream.of(generic.getActualTypeArguments())
                            .map(each -> of(each, variables))
                            .toList());
        }
        if (type instanceof GenericArrayType array) {
            return new BoundType(Object[].class, List.of(of(array.getGenericComponentType(), variables)));
        }
        if (type instanceof WildcardType wildcard) {
            return of(wildcard.getUpperBounds()[0], variables);
        }
        TypeVariable<?> variable = (TypeVariable<?>) type;
        if (variables.containsKey(variable)) {
            return variables.get(variable);
        }
        // Its bound may name it again: T extends Comparable<T>.
        Map<TypeVariable<?>, BoundType> withIt = new HashMap<>(variables);
        withIt.put(variable, OBJECT);
        return of(variable.getBounds()[0], withIt);
    }

    BoundType argument(int index) {
        return index < arguments.size() ? arguments.get(index) : OBJECT;
    }

    /** What the variables of the class and its supertypes stand for. */
    Map<TypeVariable<?>, BoundType> variables() {
        Map<TypeVariable<?>, BoundType> all = new HashMap<>();
        TypeVariable<?>[] own = raw.getTypeParameters();
        for (int i = 0; i < Math.min(own.length, arguments.size()); i++) {
            all.put(own[i], arguments.get(i));
        }
        Stream.concat(Stream.ofNullable(raw.getGenericSuperclass()), Stream.of(raw.getGenericInterfaces()))
                .map(supertype -> of(supertype, Map.copyOf(all)).variables())
                .toList()
                .forEach(all::putAll);
        return all;
    }

    /** A class below this one, to which it hands its arguments on if it has as many of them. */
    BoundType below(Class<?> subclass) {
        boolean handsOn = subclass.getTypeParameters().length == arguments.size();
        return new BoundType(subclass, handsOn ? arguments : List.of());
    }

    /** Whether a value may be of this type that is declared as one above it. */
    boolean fits(BoundType declared) {
        return IntStream.range(0, declared.arguments.size())
                .mapToObj(i -> argumentOf(declared.raw, i))
                .allMatch(each -> each.equals(OBJECT) || declared.arguments.contains(each));
    }

    /** What the parameter of a supertype stands for. */
    BoundType argumentOf(Class<?> supertype, int index) {
        return variables().getOrDefault(supertype.getTypeParameters()[index], OBJECT);
    }
}
