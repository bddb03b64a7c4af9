package dev.cdioutbox.tests.servers;

import java.sql.SQLException;

import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Writes notes. */
@WebServlet("/notes")
public class NoteServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Inject
    private transient NoteBook notes;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws ServletException {
        try {
            notes.write();
        } catch (SQLException e) {
            throw new ServletException(e);
        }
    }
}
