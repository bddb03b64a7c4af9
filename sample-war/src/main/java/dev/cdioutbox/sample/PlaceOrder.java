package dev.cdioutbox.sample;

import java.math.BigDecimal;
import java.util.List;

import jakarta.validation.Valid;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Size;

/** The request for an order, with one item or several lines. */
@ItemOrLines
public record PlaceOrder(
        @NotBlank @ShortText String customer,
        @ShortText String item,
        @Quantity BigDecimal quantity,
        @Size(min = 1, max = 100) List<@NotNull @Valid Line> lines) {

    /** An item with its quantity. */
    public record Line(
            @NotBlank @ShortText String item,
            @NotNull @Quantity BigDecimal quantity) {}

    List<Line> orderedLines() {
        return lines == null ? List.of(new Line(item, quantity)) : lines;
    }
}
