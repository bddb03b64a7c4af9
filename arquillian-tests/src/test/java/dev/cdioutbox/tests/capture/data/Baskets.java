package dev.cdioutbox.tests.capture.data;

import java.util.List;

import jakarta.data.repository.BasicRepository;
import jakarta.data.repository.Delete;
import jakarta.data.repository.Insert;
import jakarta.data.repository.Repository;
import jakarta.data.repository.Update;

import dev.cdioutbox.persistence.WritesAggregates;
import dev.cdioutbox.tests.capture.Basket;

/** Every lifecycle method. {@code save} is inherited. */
@Repository(dataStore = "java:app/env/capture")
public interface Baskets extends BasicRepository<Basket, String> {
    @Insert
    void insert(Basket basket);

    @Update
    Basket merge(Basket basket);

    @Update
    void updateUnmarked(Basket basket);

    @Update
    @WritesAggregates
    void update(Basket basket);

    @Update
    @WritesAggregates
    void updateAll(List<Basket> baskets);

    @Delete
    void deleteUnmarked(Basket basket);

    @Delete
    @WritesAggregates
    void remove(Basket basket);
}
