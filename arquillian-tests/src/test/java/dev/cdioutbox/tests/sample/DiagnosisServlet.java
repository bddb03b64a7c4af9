package dev.cdioutbox.tests.sample;

import java.io.IOException;
import java.util.stream.Collectors;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

import dev.cdioutbox.operate.OutboxOperations;

/** Asks the doctor. */
@WebServlet("/diagnosis")
public class DiagnosisServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Inject
    private transient OutboxOperations outbox;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter()
                .print(outbox.diagnose().stream()
                        .map(finding -> finding.code() + ": " + finding.text())
                        .collect(Collectors.joining("\n")));
    }
}
