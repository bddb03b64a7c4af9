package dev.cdioutbox.tests.view;

import java.io.IOException;
import java.util.stream.Collectors;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Answers the test, which runs outside of the server and so can ask after a redeployment too. */
@WebServlet("/ask")
public class ReaderServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Inject
    transient Reader reader;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String answer;
        try {
            answer = answer(request.getParameter("call"), request.getParameter("key"));
        } catch (Exception refused) {
            answer = "refused";
        }
        response.setContentType("text/plain");
        response.getWriter().print(answer);
    }

    private String answer(String call, String key) throws Exception {
        switch (call) {
            case "note" -> reader.note(key);
            case "remove" -> reader.remove(key);
            case "persist" -> reader.persistCopy(key);
            case "delete" -> reader.update("DELETE FROM OutboxMessageView m WHERE m.messageKey = :key", key);
            case "update" ->
                reader.update("UPDATE OutboxMessageView m SET m.payload = 'changed' WHERE m.messageKey = :key", key);
            default -> {
                return look(call, key);
            }
        }
        return "done";
    }

    private String look(String call, String key) throws Exception {
        return switch (call) {
            case "notes" -> String.valueOf(reader.notes(key));
            case "tableType" -> reader.tableType();
            case "messages" ->
                reader.messages(key).stream()
                        .map(m -> m.getEventType() + " " + m.getDestination() + " " + m.getPayload())
                        .collect(Collectors.joining("\n"));
            default -> throw new IllegalArgumentException(call);
        };
    }
}
