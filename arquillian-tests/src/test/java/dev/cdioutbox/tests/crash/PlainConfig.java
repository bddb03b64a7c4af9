package dev.cdioutbox.tests.crash;

import java.lang.reflect.Proxy;
import java.util.Optional;

import org.eclipse.microprofile.config.Config;
import org.eclipse.microprofile.config.spi.ConfigProviderResolver;

/** MicroProfile Config of a plain JVM, over the system properties. */
final class PlainConfig {
    private PlainConfig() {}

    static void install() {
        Config config = (Config) Proxy.newProxyInstance(
                PlainConfig.class.getClassLoader(),
                new Class<?>[] {Config.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "getOptionalValue" -> Optional.ofNullable(System.getProperty((String) arguments[0]));
                    case "getPropertyNames" -> System.getProperties().stringPropertyNames();
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        ConfigProviderResolver.setInstance(new Resolver(config));
    }

    private static final class Resolver extends ConfigProviderResolver {
        private final Config config;

        Resolver(Config config) {
            this.config = config;
        }

        @Override
        public Config getConfig() {
            return config;
        }

        @Override
        public Config getConfig(ClassLoader loader) {
            return config;
        }

        @Override
        public org.eclipse.microprofile.config.spi.ConfigBuilder getBuilder() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void registerConfig(Config other, ClassLoader loader) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void releaseConfig(Config other) {
            throw new UnsupportedOperationException();
        }
    }
}
