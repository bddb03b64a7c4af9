package dev.cdioutbox.tests.discovery;

import jakarta.ejb.Stateless;
import jakarta.enterprise.event.Event;
import jakarta.enterprise.inject.Any;
import jakarta.enterprise.inject.spi.BeanManager;
import jakarta.enterprise.util.TypeLiteral;
import jakarta.inject.Inject;

import dev.cdioutbox.OutboxEvent;
import dev.cdioutbox.tests.discovery.library.InAll;
import dev.cdioutbox.tests.discovery.library.Unkeyed;
import dev.cdioutbox.tests.discovery.library.UnkeyedRecord;

/** Fires events in each way that CDI offers. */
@Stateless
public class Firing {
    @Inject
    Event<Object> any;

    @Inject
    Event<Changed<String>> changed;

    @Inject
    Event<Moved> moved;

    @Inject
    Event<InAll> inAll;

    @Inject
    @OutboxEvent
    Event<Moved> marked;

    @Inject
    Event<Unkeyed> unkeyed;

    @Inject
    Event<UnkeyedRecord> unkeyedRecord;

    @Inject
    BeanManager beans;

    public void asObject(Object event) {
        any.fire(event);
    }

    public void asItsType(InAll event) {
        inAll.fire(event);
    }

    public void asItsType(Moved event) {
        moved.fire(event);
    }

    public void asMarked(Moved event) {
        marked.fire(event);
    }

    public void asItsType(Changed<String> event) {
        changed.fire(event);
    }

    public void asItsType() {
        unkeyed.fire(new Unkeyed());
        unkeyedRecord.fire(new UnkeyedRecord());
    }

    public void byTypeLiteral(Changed<String> event) {
        any.select(new TypeLiteral<Changed<String>>() {}).fire(event);
    }

    public void withQualifiers(Moved event) {
        any.select(Moved.class, Any.Literal.INSTANCE, new Urgent.Literal()).fire(event);
    }

    public void throughTheBeanManager(Object event) {
        beans.getEvent().fire(event);
    }

    public void throughTheBeanManager(Object event, OutboxEvent qualifier) {
        beans.getEvent().select(qualifier).fire(event);
    }

    public void withLiteral(Object event, OutboxEvent qualifier) {
        any.select(qualifier, new Urgent.Literal()).fire(event);
    }
}
