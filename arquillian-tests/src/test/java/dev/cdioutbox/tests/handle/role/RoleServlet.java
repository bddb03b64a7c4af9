package dev.cdioutbox.tests.handle.role;

import java.io.IOException;

import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.enterprise.event.Event;
import jakarta.inject.Inject;
import jakarta.servlet.ServletException;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.transaction.UserTransaction;

/** POST fires an event as a user, and GET tells who has handled it. */
@WebServlet(RoleServlet.PATH)
public class RoleServlet extends HttpServlet {
    static final String PATH = "/roles";

    private static final long serialVersionUID = 1L;

    @Inject
    private transient Event<Entrusted> events;

    @EJB
    private transient Reception reception;

    @Resource
    private transient UserTransaction transaction;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws ServletException {
        try {
            request.login(request.getParameter("user"), request.getParameter("password"));
            reception.note("committer");
            transaction.begin();
            events.fire(new Entrusted(request.getParameter("thing")));
            transaction.commit();
        } catch (Exception e) {
            throw new ServletException(e);
        }
    }

    @Override
    protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().print(Reception.NOTES);
    }
}
