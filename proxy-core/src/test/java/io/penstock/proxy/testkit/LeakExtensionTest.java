package io.penstock.proxy.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.util.LeakPresenceDetector;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ServiceLoader;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.Extension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class LeakExtensionTest {

    static Stream<ByteBuf> buffers() {
        return Stream.<Supplier<ByteBuf>>of(() -> ByteBufAllocator.DEFAULT.directBuffer(16),
                () -> ByteBufAllocator.DEFAULT.heapBuffer(16), () -> Unpooled.directBuffer(16),
                () -> ByteBufAllocator.DEFAULT.compositeBuffer()).map(Supplier::get);
    }

    @BeforeEach
    void theBuildTurnsTheDetectorOn() {
        assumeTrue(LeakExtension.inUse() || System.getProperty("penstock.root") != null, "run outside the build, without its flags");
        assertThat(LeakExtension.inUse()).isTrue();
    }

    @Test
    void itIsRegisteredForEveryClass() {
        assertThat(ServiceLoader.load(Extension.class)).hasAtLeastOneElementOfType(LeakExtension.class);
        assertThat(getClass().getResourceAsStream("/junit-platform.properties")).asString(StandardCharsets.UTF_8)
                .contains("junit.jupiter.extensions.autodetection.enabled=true");
    }

    @Test
    void nothingHeldIsNoLeak() {
        ByteBufAllocator.DEFAULT.directBuffer(16).release();
        assertThatCode(() -> LeakExtension.check("quiet", Duration.ZERO)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @MethodSource("buffers")
    void aHeldBufferFailsTheClassThatHoldsIt(ByteBuf held) {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(() -> LeakExtension.check("leaky", Duration.ofMillis(20)))
                .withMessageStartingWith("leaky: Possible memory leak detected");
        assertThatCode(() -> LeakExtension.check("next", Duration.ZERO)).doesNotThrowAnyException();
        held.release();
        // The count is one below zero now, which the check says and mends.
        assertThatIllegalStateException().isThrownBy(LeakPresenceDetector::check).withMessageContaining("negative");
    }

    @Test
    void aBufferReleasedALittleLaterIsNoLeak() {
        ByteBuf held = ByteBufAllocator.DEFAULT.directBuffer(16);
        Executor later = CompletableFuture.delayedExecutor(50, TimeUnit.MILLISECONDS);
        CompletableFuture<Boolean> released = CompletableFuture.supplyAsync(held::release, later);
        assertThatCode(() -> LeakExtension.check("late", Duration.ofSeconds(10))).doesNotThrowAnyException();
        assertThat(released.join()).isTrue();
    }
}
