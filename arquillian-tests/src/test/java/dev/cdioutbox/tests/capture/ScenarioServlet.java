package dev.cdioutbox.tests.capture;

import java.io.IOException;
import java.io.PrintWriter;

import jakarta.inject.Inject;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;

/** Plays the scenarios on a server that Arquillian does not run. */
@WebServlet({ScenarioServlet.PLAY, ScenarioServlet.READY})
public class ScenarioServlet extends HttpServlet {
    static final String PLAY = "/play";
    static final String READY = "/ready";
    static final String HELD = " held";
    private static final long serialVersionUID = 1L;

    @Inject
    private transient Desk desk;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (request.getServletPath().equals(PLAY)) {
            for (Scenario scenario : Scenario.values()) {
                play(scenario, response.getWriter());
            }
        }
    }

    private void play(Scenario scenario, PrintWriter answer) {
        try {
            scenario.play(desk);
            answer.println(scenario + HELD);
        } catch (RuntimeException | AssertionError lost) {
            answer.println(scenario + " failed");
            lost.printStackTrace(answer);
        }
    }
}
