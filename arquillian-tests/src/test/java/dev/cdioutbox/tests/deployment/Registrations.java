package dev.cdioutbox.tests.deployment;

import java.io.IOException;

import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Lists the servlets of the application. */
@WebServlet("/registrations")
public class Registrations extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        getServletContext().getServletRegistrations().forEach((name, servlet) -> {
            try {
                response.getWriter().println(name + " " + servlet.getMappings());
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }
}
