package dev.cdioutbox.tests.publisher;

import java.io.IOException;
import java.io.PrintWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.cdioutbox.testing.PublisherContract;
import org.junit.jupiter.api.Test;

/** Runs the contract on a server that Arquillian does not run: a new instance for each test, as JUnit does. */
@WebServlet(ContractServlet.PATH)
public class ContractServlet extends HttpServlet {
    static final String PATH = "/contract";
    static final String BROKER = "broker";
    static final String KEPT = " kept";
    static final String SKIPPED = " skipped";
    private static final long serialVersionUID = 1L;

    /** Without a broker, the answer is empty. */
    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String broker = request.getParameter(BROKER);
        if (broker == null) {
            return;
        }
        for (Method test : PublisherContract.class.getMethods()) {
            if (test.isAnnotationPresent(Test.class)) {
                run(test, broker, response.getWriter());
            }
        }
    }

    private static void run(Method test, String broker, PrintWriter answer) {
        try {
            test.invoke(broker.equals("activemq") ? new OnActiveMq() : new OnArtemis());
            answer.println(test.getName() + KEPT);
        } catch (InvocationTargetException e) {
            if (e.getCause().getClass().getSimpleName().equals("TestAbortedException")) {
                answer.println(test.getName() + SKIPPED);
            } else {
                answer.println(test.getName() + " broken");
                e.getCause().printStackTrace(answer);
            }
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }
}
