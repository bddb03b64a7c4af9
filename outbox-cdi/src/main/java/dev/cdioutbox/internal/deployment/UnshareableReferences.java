package dev.cdioutbox.internal.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

import jakarta.annotation.Resource;
import jakarta.servlet.ServletContext;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;

/**
 * Finds references to a DataSource that are not shareable: their connection is another one than that of the outbox, even if
 * both lead to one DataSource.
 */
public final class UnshareableReferences {
    private static final Logger LOG = Logger.getLogger(UnshareableReferences.class.getName());
    private static final String DATA_SOURCE = "javax.sql.DataSource";
    private static final String WEB_XML = "/WEB-INF/web.xml";

    private UnshareableReferences() {}

    /**
     * What is wrong with references: a transaction that uses one and the outbox has two branches. Nobody can tell to which database
     * a reference leads, so that these are findings and no errors.
     *
     * @param dataSources of the outboxes
     */
    public static Stream<Finding> findings(Stream<String> references, Collection<String> dataSources) {
        String ours = dataSources.stream().distinct().collect(Collectors.joining(", "));
        return references.map(reference -> OutboxCode.SECOND_BRANCH.finding(reference, ours));
    }

    /** The references that a class declares by annotations. */
    public static Stream<String> of(Class<?> type) {
        try {
            return declared(type);
        } catch (LinkageError e) {
            // An optional class is missing, which is for the container to judge.
            LOG.log(Level.FINE, "the references of a class could not be read", e);
            return Stream.empty();
        }
    }

    private static Stream<String> declared(Class<?> type) {
        List<String> names = new ArrayList<>(names(type, Object.class, type.getName()));
        for (Field field : type.getDeclaredFields()) {
            names.addAll(names(field, field.getType(), field.getName()));
        }
        for (Method method : type.getDeclaredMethods()) {
            if (method.getParameterCount() == 1) {
                names.addAll(names(method, method.getParameterTypes()[0], method.getName()));
            }
        }
        return names.stream().map(name -> type.getName() + " (" + name + ")");
    }

    /**
     * The names of the references that annotations declare.
     *
     * @param type of the field or of the setter's parameter
     * @param name of a reference to which the annotation gives none
     */
    private static List<String> names(AnnotatedElement element, Class<?> type, String name) {
        return Stream.of(element.getAnnotationsByType(Resource.class))
                .filter(resource -> !resource.shareable())
                .filter(resource ->
                        List.of(type.getName(), resource.type().getName()).contains(DATA_SOURCE))
                .map(resource -> resource.name().isEmpty() ? name : resource.name())
                .toList();
    }

    /**
     * The references in the application's web.xml.
     *
     * @param application a ServletContext, or what a module without a web part has in its place
     */
    public static Stream<String> ofWebXml(Object application) {
        if (!PlatformServices.isPresent("jakarta.servlet.ServletContext")
                || !(application instanceof ServletContext context)) {
            return Stream.empty();
        }
        try (InputStream descriptor = context.getResourceAsStream(WEB_XML)) {
            return descriptor == null
                    ? Stream.empty()
                    : read(descriptor).stream().map(name -> WEB_XML + " (" + name + ")");
        } catch (IOException | XMLStreamException e) {
            // The server reports the problem of its file.
            LOG.log(Level.FINE, "web.xml could not be read", e);
            return Stream.empty();
        }
    }

    static List<String> read(InputStream descriptor) throws XMLStreamException {
        XMLStreamReader xml = Descriptor.reader(descriptor);
        List<String> found = new ArrayList<>();
        Map<String, String> reference = new HashMap<>();
        while (xml.hasNext()) {
            int event = xml.next();
            if (event == XMLStreamReader.START_ELEMENT && xml.getLocalName().startsWith("res-")) {
                reference.put(xml.getLocalName(), xml.getElementText().strip());
            } else if (event == XMLStreamReader.END_ELEMENT
                    && xml.getLocalName().equals("resource-ref")) {
                if (DATA_SOURCE.equals(reference.get("res-type"))
                        && "Unshareable".equals(reference.get("res-sharing-scope"))) {
                    found.add(reference.get("res-ref-name"));
                }
                reference.clear();
            }
        }
        xml.close();
        return found;
    }
}
