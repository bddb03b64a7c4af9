package dev.cdioutbox.internal.capture.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

import jakarta.annotation.Resource;
import jakarta.servlet.ServletContext;

/**
 * Finds references to a DataSource that are not shareable: their connection is another one than that of the outbox, even if
 * both lead to one DataSource.
 */
public final class UnshareableReferences {
    private static final Logger LOG = Logger.getLogger(UnshareableReferences.class.getName());
    private static final String DATA_SOURCE = "javax.sql.DataSource";
    private static final String WEB_XML = "/WEB-INF/web.xml";

    private UnshareableReferences() {}

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
        return Stream.of(
                        Stream.of(type).map(declared -> reference(declared, Object.class, declared.getName())),
                        Stream.of(type.getDeclaredFields())
                                .map((Field field) -> reference(field, field.getType(), field.getName())),
                        Stream.of(type.getDeclaredMethods())
                                .filter(method -> method.getParameterCount() == 1)
                                .map((Method setter) ->
                                        reference(setter, setter.getParameterTypes()[0], setter.getName())))
                .flatMap(Function.identity())
                .flatMap(found -> found)
                .map(name -> type.getName() + " (" + name + ")");
    }

    private static Stream<String> reference(AnnotatedElement element, Class<?> type, String name) {
        return Stream.of(element.getAnnotationsByType(Resource.class))
                .filter(resource -> !resource.shareable())
                .filter(resource ->
                        List.of(type.getName(), resource.type().getName()).contains(DATA_SOURCE))
                .map(resource -> resource.name().isEmpty() ? name : resource.name());
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
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        XMLStreamReader xml = factory.createXMLStreamReader(descriptor);
        List<String> found = new ArrayList<>();
        Map<String, String> reference = null;
        while (xml.hasNext()) {
            int event = xml.next();
            if (event == XMLStreamReader.START_ELEMENT && xml.getLocalName().equals("resource-ref")) {
                reference = new HashMap<>();
            } else if (event == XMLStreamReader.START_ELEMENT && reference != null) {
                String name = xml.getLocalName();
                if (name.startsWith("res-")) {
                    reference.put(name, xml.getElementText().strip());
                }
            } else if (event == XMLStreamReader.END_ELEMENT
                    && xml.getLocalName().equals("resource-ref")) {
                if (DATA_SOURCE.equals(reference.get("res-type"))
                        && "Unshareable".equals(reference.get("res-sharing-scope"))) {
                    found.add(reference.get("res-ref-name"));
                }
                reference = null;
            }
        }
        xml.close();
        return found;
    }
}
