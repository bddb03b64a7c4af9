package dev.cdioutbox.internal.capture.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.net.URL;
import java.util.Collections;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

import dev.cdioutbox.internal.problem.Problem;

/**
 * Compares the DataSources of the application's persistence units with those of the outboxes. Reads the persistence.xml
 * files, because no API has the names.
 */
public final class PersistenceUnits {
    private static final Logger LOG = Logger.getLogger(PersistenceUnits.class.getName());

    private PersistenceUnits() {}

    /** Warns of every unit on a DataSource without an outbox: its business rows are not in the same database branch. */
    public static void compare(ClassLoader application, List<String> dataSources) {
        try {
            for (URL file : Collections.list(application.getResources("META-INF/persistence.xml"))) {
                try (InputStream content = file.openStream()) {
                    compare(content, dataSources);
                }
            }
        } catch (IOException | XMLStreamException e) {
            // The persistence provider reports the problem of its file.
            LOG.log(Level.FINE, "a persistence.xml could not be read", e);
        }
    }

    private static void compare(InputStream content, List<String> dataSources) throws XMLStreamException {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        XMLStreamReader xml = factory.createXMLStreamReader(content);
        String unit = null;
        while (xml.hasNext()) {
            xml.next();
            if (xml.isStartElement() && xml.getLocalName().equals("persistence-unit")) {
                unit = xml.getAttributeValue(null, "name");
            } else if (xml.isStartElement() && xml.getLocalName().equals("jta-data-source")) {
                String other = xml.getElementText().strip();
                if (!dataSources.contains(other)) {
                    LOG.warning(Problem.OTHER_DATA_SOURCE.text(unit, other, String.join(", ", dataSources)));
                }
            }
        }
    }
}
