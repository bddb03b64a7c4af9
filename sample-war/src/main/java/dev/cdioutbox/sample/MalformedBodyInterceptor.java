package dev.cdioutbox.sample;

import java.io.IOException;

import jakarta.ws.rs.BadRequestException;
import jakarta.ws.rs.WebApplicationException;
import jakarta.ws.rs.core.Response;
import jakarta.ws.rs.ext.Provider;
import jakarta.ws.rs.ext.ReaderInterceptor;
import jakarta.ws.rs.ext.ReaderInterceptorContext;

/**
 * Answers 400 to a body that is not JSON, or has wrong types. The REST specification does not say which exception a
 * reader throws then. An exception mapper cannot distinguish a failed read from a failed write.
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
