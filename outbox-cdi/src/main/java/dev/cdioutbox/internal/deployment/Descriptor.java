package dev.cdioutbox.internal.deployment;

import java.io.InputStream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/** Reads the deployment descriptors of the application. */
final class Descriptor {
    private Descriptor() {}

    /** A reader that loads no other file, whatever a descriptor refers to. */
    static XMLStreamReader reader(InputStream content) throws XMLStreamException {
        XMLInputFactory factory = XMLInputFactory.newFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        return factory.createXMLStreamReader(content);
    }
}
