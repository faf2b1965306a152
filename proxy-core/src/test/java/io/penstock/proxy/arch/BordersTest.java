package io.penstock.proxy.arch;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;

/** The borders between the packages of proxy-core; each rule says what to do instead. */
@AnalyzeClasses(packages = "io.penstock.proxy", importOptions = ImportOption.DoNotIncludeTests.class)
class BordersTest {

    private static final String P = "io.penstock.proxy.";

    @ArchTest
    static final ArchRule PACKAGES_HAVE_NO_CYCLES = slices().matching("io.penstock.proxy.(*)..").should().beFreeOfCycles()
            .because("data flows one way: move what both need into request, net or endpoint");

    @ArchTest
    static final ArchRule HANDLERS_KNOW_EXCHANGES_NEVER_CHANNELS = noClasses().that().resideInAnyPackage(P + "handler..", P + "request..")
            .should().dependOnClassesThat(resideInAnyPackage("io.netty.channel..", "io.netty.bootstrap.."))
            .because("a handler is tested without a socket: put what touches a channel into downstream or upstream");

    @ArchTest
    static final ArchRule UPSTREAM_AND_DOWNSTREAM_DO_NOT_MEET = noClasses().that().resideInAPackage(P + "upstream..").should()
            .dependOnClassesThat().resideInAnyPackage(P + "downstream..", P + "handler..")
            .because("the two sides meet in the exchanges of request only");

    @ArchTest
    static final ArchRule DOWNSTREAM_DOES_NOT_KNOW_UPSTREAM = noClasses().that().resideInAPackage(P + "downstream..").should()
            .dependOnClassesThat().resideInAnyPackage(P + "upstream..", P + "handler..")
            .because("the two sides meet in the exchanges of request only");

    @ArchTest
    static final ArchRule REQUEST_KNOWS_NEITHER_SIDE = noClasses().that().resideInAPackage(P + "request..").should().dependOnClassesThat()
            .resideInAnyPackage(P + "upstream..", P + "downstream..", P + "handler..").because("it is what they share");

    @ArchTest
    static final ArchRule HTTP2_KNOWS_NEITHER_SIDE = noClasses().that().resideInAPackage(P + "http2..").should().dependOnClassesThat()
            .resideInAnyPackage(P + "upstream..", P + "downstream..", P + "handler..", P + "request..")
            .because("both sides drive it: what it has to tell goes through SessionListener");

    @ArchTest
    static final ArchRule DETECTORS_ARE_NAMED_BY_CONFIG_AND_ROOT_ONLY = noClasses()
            .that(not(resideInAnyPackage("io.penstock.proxy", P + "config.."))).should().dependOnClassesThat()
            .resideInAPackage("io.penstock.detect..").because("the rest knows SaturationDetector");

    @ArchTest
    static final ArchRule HANDLERS_ARE_FINAL_AND_HIDDEN = classes().that().resideInAPackage(P + "handler..").and()
            .haveSimpleNameEndingWith("Handler").and().doNotHaveSimpleName("RequestHandler").should().bePackagePrivate().andShould()
            .haveModifier(JavaModifier.FINAL).because("RequestChain is the only door");

    @ArchTest
    static final ArchRule PIPELINES_ARE_BUILT_IN_INITIALIZERS_ONLY = noClasses()
            .that(not(nameMatching(".*(Initializer|ProtocolSelector|Http1Connection|Http2Connection|BackendServer)(\\$.*)?")))
            .should().callMethodWhere(target(nameMatching("addLast")).and(target(owner(resideInAPackage("io.netty.channel..")))))
            .because("one place a pipeline, in reading order");

    @ArchTest
    static final ArchRule CLOCKS_ARE_READ_IN_THE_ROOT_ONLY = noClasses()
            .that(not(resideInAnyPackage("io.penstock.proxy", P + "demo..", P + "accesslog.."))).should()
            .callMethod(System.class, "nanoTime").orShould().callMethod(System.class, "currentTimeMillis")
            .because("a clock is handed in as a LongSupplier, so that tests can hold it");

    @ArchTest
    static final ArchRule SYSTEM_PROPERTIES_ARE_READ_IN_THE_ROOT_ONLY = noClasses()
            .that(not(resideInAPackage("io.penstock.proxy"))).should().callMethod(System.class, "getProperty", String.class)
            .orShould().callMethod(Integer.class, "getInteger", String.class, int.class)
            .because("a setting is handed in, so that configuration is the one place that lists it");

    @ArchTest
    static final ArchRule SHARED_STATE_LIVES_IN_A_SHORT_LIST = noClasses()
            .that(not(resideInAPackage(P + "demo.."))).and(not(nameMatching(P + "(" + String.join("|",
                    "Drain", "Proxy", "ServeCommand",
                    "accesslog\\.(AccessLog|LogWriter)", "admin\\.OperatorPort",
                    "downstream\\.(ConnectionLimit|EdgeLoop)",
                    "endpoint\\.(EndpointLease|Health|InFlight|LeastLoadPlacement|Poller)",
                    "metrics\\.(DropSummary|FlowFamilies|FlowSeries|LoopCells|MeterFlowEvents|ProxyMeters|RequestMeters|Timings)",
                    "net\\.RateLimitedLog", "request\\.BodyBudget") + ")(\\$.*)?")))
            .should().dependOnClassesThat(resideInAnyPackage("java.util.concurrent.atomic", "org.jctools..")
                    .or(nameMatching("java\\.lang\\.invoke\\.VarHandle")))
            .because("whoever reviews concurrency reads this list: add a class to it only with its own test of the race");

    @ArchTest
    static final ArchRule NOTHING_BLOCKS_IN_THE_DATA_PATH = noClasses()
            .that()
            .resideInAnyPackage(P + "handler..", P + "request..", P + "upstream..", P + "downstream..", P + "codec..", P + "http2..").and()
            .doNotHaveSimpleName("Listeners").should().callMethod(Thread.class, "sleep", long.class)
            .orShould().callMethod(Object.class, "wait").orShould()
            .callMethodWhere(target(nameMatching("sync|syncUninterruptibly|await|awaitUninterruptibly"))
                    .and(target(owner(resideInAnyPackage("io.netty.channel..", "io.netty.util.concurrent..")))))
            .because("an event loop serves thousands of requests: use a listener (Listeners binds and closes, on the starter's thread)");
}
