package dev.cdioutbox.tests.external;

import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

import jakarta.annotation.Resource;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.cdioutbox.tests.server.FirstColumn;

/** Answers with a setting of the server's database sessions, which no other session can read. */
@WebServlet("/session-setting")
public class SessionSettingServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Resource(lookup = "java:comp/DefaultDataSource")
    private transient DataSource dataSource;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response)
            throws IOException, ServletException {
        try (Connection connection = dataSource.getConnection()) {
            response.getWriter()
                    .print(FirstColumn.of(connection, "SHOW " + request.getParameter("name"))
                            .get(0));
        } catch (SQLException e) {
            throw new ServletException(e);
        }
    }
}
