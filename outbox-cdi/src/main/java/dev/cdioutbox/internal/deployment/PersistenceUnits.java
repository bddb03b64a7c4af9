package dev.cdioutbox.internal.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

import dev.cdioutbox.internal.code.Finding;
import dev.cdioutbox.internal.code.OutboxCode;

/**
 * Finds the DataSources of the application's persistence units. Reads the persistence.xml files, because no API has the
 * names.
 */
public final class PersistenceUnits {
    private static final Logger LOG = Logger.getLogger(PersistenceUnits.class.getName());
    private static final String DEFAULT_DATA_SOURCE = "java:comp/DefaultDataSource";

    private PersistenceUnits() {}

    /** Every unit on a DataSource without an outbox: its business rows are not in the same database branch. */
    public static Stream<Finding> elsewhere(ClassLoader application, List<String> dataSources) {
        Set<String> ours = dataSources.stream().map(PersistenceUnits::bare).collect(Collectors.toSet());
        return dataSources(application).entrySet().stream()
                .filter(unit -> !ours.contains(bare(unit.getValue())))
                .map(unit -> OutboxCode.OTHER_DATA_SOURCE.finding(
                        unit.getKey(), unit.getValue(), String.join(", ", dataSources)));
    }

    /** The DataSources of the JTA units by the units' names. */
    static Map<String, String> dataSources(ClassLoader application) {
        Map<String, String> found = new LinkedHashMap<>();
        try {
            for (URL file : Collections.list(application.getResources("META-INF/persistence.xml"))) {
                try (InputStream content = file.openStream()) {
                    read(content, found);
                }
            }
        } catch (IOException | XMLStreamException e) {
            // The persistence provider reports the problem of its file.
            LOG.log(Level.FINE, "a persistence.xml could not be read", e);
        }
        return found;
    }

    private static void read(InputStream content, Map<String, String> found) throws XMLStreamException {
        XMLStreamReader xml = Descriptor.reader(content);
        String unit = null;
        while (xml.hasNext()) {
            if (xml.next() == XMLStreamReader.START_ELEMENT) {
                if (xml.getLocalName().equals("persistence-unit")) {
                    unit = xml.getAttributeValue(null, "name");
                    if (!"RESOURCE_LOCAL".equals(xml.getAttributeValue(null, "transaction-type"))) {
                        found.put(unit, DEFAULT_DATA_SOURCE);
                    }
                } else if (xml.getLocalName().equals("jta-data-source") && found.containsKey(unit)) {
                    found.put(unit, xml.getElementText().strip());
                }
            }
        }
        xml.close();
    }

    private static String bare(String jndi) {
        return jndi.startsWith("java:comp/env/") ? jndi.substring("java:comp/env/".length()) : jndi;
    }
}
