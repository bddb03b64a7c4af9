package dev.cdioutbox.sample;

import java.io.IOException;

import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.Provider;
import jakarta.ws.rs.ext.ReaderInterceptor;
import jakarta.ws.rs.ext.ReaderInterceptorContext;

/**
 * A body that is not JSON, or not of the expected types, is the client's mistake: 400. REST leaves open what a reader
 * throws then, and an exception mapper cannot tell a body that was read from one that was to be written.
 */
@Provider
public class MalformedBodyInterceptor implements ReaderInterceptor {

    @Override
    public Object aroundReadFrom(ReaderInterceptorContext context) throws IOException {
        try {
            return context.proceed();
        } catch (WebApplicationException answered) {
            throw answered;
        } catch (RuntimeException malformed) {
            Response answer = Problem.of("The body is not the JSON that is expected here.")
                    .as(Response.Status.BAD_REQUEST);
            throw new BadRequestException(answer, malformed);
        }
    }
}
