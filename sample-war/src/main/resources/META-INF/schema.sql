CREATE TABLE IF NOT EXISTS orders (id VARCHAR(36) PRIMARY KEY, customer VARCHAR(80) NOT NULL, status VARCHAR(16) NOT NULL, placed_at TIMESTAMP(6) WITH TIME ZONE NOT NULL, version INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS orders_newest ON orders (placed_at);
CREATE TABLE IF NOT EXISTS order_line (id VARCHAR(36) PRIMARY KEY, order_id VARCHAR(36) NOT NULL REFERENCES orders (id), position INTEGER NOT NULL, item VARCHAR(80) NOT NULL, quantity INTEGER NOT NULL, UNIQUE (order_id, position));
CREATE TABLE IF NOT EXISTS shipment (id VARCHAR(36) PRIMARY KEY, message_id VARCHAR(36) NOT NULL, order_id VARCHAR(255) NOT NULL, event_type VARCHAR(255) NOT NULL, sequence_no BIGINT NOT NULL, payload TEXT NOT NULL, received_at TIMESTAMP(6) WITH TIME ZONE NOT NULL);
CREATE INDEX IF NOT EXISTS shipment_of_order ON shipment (order_id);
CREATE INDEX IF NOT EXISTS shipment_newest ON shipment (received_at);
