package io.penstock.proxy;

import io.penstock.proxy.config.LoadAccounting;
import io.penstock.proxy.config.Settings;
import io.penstock.proxy.endpoint.TokenCharge;
import io.penstock.proxy.handler.BodyCollection;
import io.penstock.proxy.inference.PromptEstimator;
import io.penstock.proxy.metrics.ProxyMeters;
import io.penstock.proxy.request.BodyBudget;
import org.jspecify.annotations.Nullable;

/** What a configuration's counting of tokens takes: nothing at all where nothing counts them. */
final class TokenCounting {

    private TokenCounting() {
    }

    static TokenCharge charge(LoadAccounting load) {
        return load.countsTokens()
                ? new TokenCharge(true, load.addEstimatedOutputTokens(), load.outputRatio(), load.maxEstimatedOutputTokens())
                : TokenCharge.NONE;
    }

    static @Nullable BodyCollection collection(Settings settings, ProxyMeters meters) {
        BodyBudget budget = new BodyBudget(settings.proxy().limits().maxBufferedBodyBytes());
        meters.bufferedBodies(budget::held);
        boolean counts = settings.picker().load().countsTokens();
        return counts ? new BodyCollection(new PromptEstimator(), budget, meters::unreadablePrompt, meters::bodyRefused) : null;
    }
}
