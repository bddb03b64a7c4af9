package dev.cdioutbox.tests.sample;

import java.util.Objects;

import jakarta.annotation.Resource;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.UserTransaction;

/** Fires an event in a transaction that commits, or rolls back if asked to. */
@WebServlet("/note")
public class NotingServlet extends HttpServlet {
    private static final long serialVersionUID = 1L;

    @Inject
    private transient Event<Noted> noted;

    @Resource
    private transient UserTransaction transaction;

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws ServletException {
        try {
            transaction.begin();
            noted.fire(new Noted(Objects.requireNonNullElse(request.getParameter("text"), "a note")));
            if (request.getParameter("rollback") == null) {
                transaction.commit();
            } else {
                transaction.rollback();
            }
        } catch (NotSupportedException
                | SystemException
                | RollbackException
                | HeuristicMixedException
                | HeuristicRollbackException e) {
            throw new ServletException(e);
        }
    }
}
