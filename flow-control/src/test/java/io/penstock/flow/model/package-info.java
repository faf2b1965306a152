/** The engine against a model: random scripts played on both, and every difference shrunk and printed. */
@NullMarked
package io.penstock.flow.model;

import org.jspecify.annotations.NullMarked;
