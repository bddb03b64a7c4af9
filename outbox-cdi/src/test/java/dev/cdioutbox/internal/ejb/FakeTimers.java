package dev.cdioutbox.internal.ejb;

import java.io.Serializable;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;

import jakarta.ejb.NoSuchObjectLocalException;
import jakarta.ejb.Timer;
import jakarta.ejb.TimerConfig;
import jakarta.ejb.TimerService;

/** A container's timers that never call by themselves. */
final class FakeTimers {
    final List<Created> created = new ArrayList<>();
    final List<Created> cancelled = new ArrayList<>();

    final TimerService service = (TimerService) Proxy.newProxyInstance(
            TimerService.class.getClassLoader(), new Class<?>[] {TimerService.class}, (proxy, method, arguments) -> {
                int last = arguments.length - 1;
                Long period = last == 2 ? (Long) arguments[1] : null;
                Created timer = new Created((Long) arguments[0], period, ((TimerConfig) arguments[last]).getInfo());
                created.add(timer);
                return timer(timer);
            });

    /**
     * A timer that was created.
     *
     * @param first in milliseconds
     * @param period in milliseconds; null if the timer calls once
     */
    record Created(long first, Long period, Serializable info) {}

    /** A timer that calls with this. */
    static Timer calling(Serializable info) {
        return new FakeTimers().timer(new Created(0, null, info));
    }

    List<Serializable> infos() {
        return created.stream().map(Created::info).toList();
    }

    private Timer timer(Created timer) {
        return (Timer) Proxy.newProxyInstance(
                Timer.class.getClassLoader(), new Class<?>[] {Timer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getInfo")) {
                        return timer.info;
                    }
                    cancelled.add(timer);
                    if (timer.period == null) {
                        throw new NoSuchObjectLocalException("it has fired meanwhile");
                    }
                    return null;
                });
    }
}
