package dev.cdioutbox.testing;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

import dev.cdioutbox.internal.config.ConfigReader;
import dev.cdioutbox.internal.config.OutboxConfig;
import dev.cdioutbox.internal.config.OutboxProperties;
import org.w3c.dom.Element;
import org.w3c.dom.Node;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * What the files of an application configure: each a {@code server.xml} of Liberty, with what it includes, or a file of properties. A
 * later file goes before an earlier one.
 */
final class ConfigurationFiles {
    private static final Pattern VARIABLE = Pattern.compile("\\$\\{([^${}]+)}");

    /** What names a queue or topic at its broker, in the properties of the resource adapters that the outbox knows. */
    private static final List<String> NAMES =
            List.of("queueName", "topicName", "PhysicalName", "baseQueueName", "baseTopicName", "destinationName");

    private final Map<String, String> values = new TreeMap<>();
    private final Map<String, String> defaults = new HashMap<>();
    private final Map<String, Element> queuesAndTopics = new HashMap<>();

    /** A queue or topic at its broker. */
    record Address(String name, boolean isTopic) {}

    ConfigurationFiles(Path... files) {
        for (Path file : files) {
            if (file.toString().endsWith(".xml")) {
                defaults.put(
                        "server.config.dir", file.toAbsolutePath().getParent().toString());
                readXml(file);
            } else {
                readProperties(file);
            }
        }
    }

    private void readProperties(Path file) {
        Properties read = new Properties();
        try (InputStream content = Files.newInputStream(file)) {
            read.load(content);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        read.forEach((name, value) -> values.put((String) name, (String) value));
    }

    private void readXml(Path file) {
        try {
            DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
            factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
            children(factory.newDocumentBuilder().parse(file.toFile()).getDocumentElement())
                    .forEach(element -> read(element, file));
        } catch (ParserConfigurationException | SAXException e) {
            throw new IllegalArgumentException(file + " is no XML: " + e.getMessage(), e);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void read(Element element, Path file) {
        switch (element.getTagName()) {
            case "variable" -> {
                boolean isDefault = !element.hasAttribute("value");
                (isDefault ? defaults : values)
                        .put(element.getAttribute("name"), element.getAttribute(isDefault ? "defaultValue" : "value"));
            }
            case "appProperties" ->
                children(element).forEach(own -> values.put(own.getAttribute("name"), own.getAttribute("value")));
            case "jmsQueue", "jmsTopic" ->
                queuesAndTopics.put(
                        element.getAttribute(element.hasAttribute("jndiName") ? "jndiName" : "id"), element);
            case "include" -> include(element, file);
            default -> children(element).forEach(child -> read(child, file));
        }
    }

    private void include(Element element, Path file) {
        Path included = file.resolveSibling(resolved(element.getAttribute("location")));
        if (Files.exists(included)) {
            readXml(included);
        } else if (!element.getAttribute("optional").equals("true")) {
            throw new IllegalArgumentException(file + " includes " + included + ", which is not there");
        }
    }

    private static Stream<Element> children(Element parent) {
        NodeList nodes = parent.getChildNodes();
        return IntStream.range(0, nodes.getLength())
                .<Node>mapToObj(nodes::item)
                .filter(Element.class::isInstance)
                .map(Element.class::cast);
    }

    /** With the variables that the files set in place of their names. */
    private String resolved(String text) {
        Matcher variables = VARIABLE.matcher(text);
        String once = variables.replaceAll(
                variable -> Matcher.quoteReplacement(value(variable.group(1)).orElse(variable.group())));
        return once.equals(text) ? text : resolved(once);
    }

    private Optional<String> value(String name) {
        return Optional.ofNullable(values.getOrDefault(name, defaults.get(name)));
    }

    /**
     * The configuration of an outbox.
     *
     * @param handlers the names of the application's handlers
     * @throws dev.cdioutbox.OutboxException OBX-0201 if a value is wrong or missing
     */
    OutboxConfig config(String outbox, Set<String> handlers) {
        Set<String> names = Stream.concat(values.keySet().stream(), defaults.keySet().stream())
                .collect(Collectors.toSet());
        OutboxProperties properties =
                new OutboxProperties(outbox, name -> value(name).map(this::resolved), names);
        Map<String, List<String>> typesByHandler =
                handlers.stream().collect(Collectors.toMap(name -> name, name -> List.of()));
        return new ConfigReader(properties, "application", typesByHandler).read();
    }

    /** The queue or topic that a server.xml defines under this JNDI name. */
    Optional<Address> address(String jndi) {
        return Optional.ofNullable(queuesAndTopics.get(jndi)).flatMap(found -> children(found)
                .flatMap(properties -> NAMES.stream().map(properties::getAttribute))
                .filter(name -> !name.isEmpty())
                .findFirst()
                .map(name -> new Address(resolved(name), found.getTagName().equals("jmsTopic"))));
    }
}
