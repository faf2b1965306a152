/** Fairness, ordering and usage-limit policies, and their lookup by plugin type. */
@NullMarked
package io.penstock.flow.policy;

import org.jspecify.annotations.NullMarked;
