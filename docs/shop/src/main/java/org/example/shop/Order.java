package org.example.shop;

import java.util.UUID;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

/** An order of a customer. ORDER is a reserved word in SQL, so the entity and the table are called "orders". */
@Entity(name = "orders")
@Table(name = "orders")
public class Order {

    @Id
    private String id;

    private String customer;

    private String status;

    /** For Jakarta Persistence. */
    protected Order() {}

    public Order(String customer) {
        this.id = UUID.randomUUID().toString();
        this.customer = customer;
        this.status = "PLACED";
    }

    public void ship() {
        status = "SHIPPED";
    }

    public String getId() {
        return id;
    }

    public String getCustomer() {
        return customer;
    }

    public String getStatus() {
        return status;
    }
}
