package io.penstock.proxy.demo;

/**
 * An error answer in vLLM's shape (spec/routing section 8.1). Immutable.
 *
 * @param status the HTTP status
 * @param message for people
 */
record SimError(int status, String message) {

    private String type() {
        return switch (status) {
            case 400 -> "BadRequestError";
            case 401 -> "AuthenticationError";
            case 403 -> "PermissionDeniedError";
            case 404 -> "NotFoundError";
            case 422 -> "UnprocessableEntityError";
            case 429 -> "RateLimitError";
            default -> status >= 500 ? "InternalServerError" : "APIConnectionError";
        };
    }

    String json() {
        return "{\"error\":{\"message\":" + SimJson.quote(message) + ",\"type\":\"" + type()
                + "\",\"param\":null,\"code\":" + status + "}}";
    }
}
