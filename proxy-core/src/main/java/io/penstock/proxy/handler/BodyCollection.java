package io.penstock.proxy.handler;

import io.penstock.proxy.inference.PromptEstimator;
import io.penstock.proxy.request.BodyBudget;

/**
 * What it takes to collect bodies, for a configuration that counts tokens. Any thread.
 *
 * @param estimator estimates what a body costs
 * @param budget bytes that the process may hold
 * @param onUnreadable run for each body that could not be read and so counts by its bytes
 * @param onRefused run for each request that was refused because the budget was used up
 */
public record BodyCollection(PromptEstimator estimator, BodyBudget budget, Runnable onUnreadable, Runnable onRefused) {
}
