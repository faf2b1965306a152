package io.penstock.flow;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.util.Set;

/** The borders of this module (design section 5). Each rule says the way out. */
@AnalyzeClasses(packages = "io.penstock.flow", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {

    /** Where concurrency is allowed to live: each of these says in its Javadoc which thread may do what. */
    private static final Set<String> CONCURRENT = Set.of("Occupancy", "QueuedTicket", "PassTicket", "Combiner", "Band", "BandQueues",
            "BandRegistry", "FlowQueue", "WaitingRoom", "SheddingController", "Reclaimer", "Running", "Program", "Programs");

    @ArchTest
    static final ArchRule KNOWS_NO_SOCKET_METRIC_OR_LOGGER = classes().should().onlyDependOnClassesThat()
            .resideInAnyPackage("io.penstock.flow..", "java..", "org.jctools..", "org.agrona..", "org.jspecify..")
            .because("executors, clocks and events come in through ports");

    @ArchTest
    static final ArchRule NO_LOGGER_OF_THE_JDK_EITHER = noClasses().should().dependOnClassesThat().resideInAPackage("java.util.logging..")
            .because("what happened is told through FlowEvents");

    @ArchTest
    static final ArchRule NO_CYCLES = slices().matching("io.penstock.flow.(engine|config|plugin|policy)..").should().beFreeOfCycles();

    @ArchTest
    static final ArchRule PORTS_KNOW_NO_ENGINE_AND_NO_POLICY = noClasses().that().resideInAPackage("io.penstock.flow")
            .should().dependOnClassesThat()
            .resideInAnyPackage("io.penstock.flow.engine", "io.penstock.flow.policy", "io.penstock.flow.config");

    @ArchTest
    static final ArchRule POLICIES_KNOW_NO_ENGINE = noClasses().that().resideInAPackage("io.penstock.flow.policy")
            .should().dependOnClassesThat().resideInAPackage("io.penstock.flow.engine");

    @ArchTest
    static final ArchRule THE_ENGINE_IS_PRIVATE_BUT_FOR_ITS_FACTORY = classes().that().resideInAPackage("io.penstock.flow.engine")
            .and().areTopLevelClasses().and().doNotHaveSimpleName("FlowControllers").and().doNotHaveSimpleName("Collaborators")
            .and().doNotHaveSimpleName("FlowHooks").and().doNotHaveSimpleName("package-info").should().bePackagePrivate();

    @ArchTest
    static final ArchRule CONCURRENCY_LIVES_IN_A_FEW_CLASSES = noClasses().that(notConcurrent()).should()
            .dependOnClassesThat(resideInAPackage("java.util.concurrent.atomic..").or(resideInAPackage("org.jctools.."))
                    .or(resideInAPackage("java.util.concurrent.locks.."))
                    .or(JavaClass.Predicates.equivalentTo(java.lang.invoke.VarHandle.class)))
            .because("a new one belongs on the list in this test, with its threads in its Javadoc");

    @ArchTest
    static final ArchRule TIME_COMES_IN_THROUGH_THE_CLOCK = noClasses().should().callMethod(System.class, "nanoTime")
            .orShould().callMethod(System.class, "currentTimeMillis").orShould().callMethod(java.time.Instant.class, "now");

    @ArchTest
    static final ArchRule NO_THREADS_OF_ITS_OWN = noClasses().should().callConstructor(Thread.class)
            .orShould().dependOnClassesThat().areAssignableTo(java.util.concurrent.ExecutorService.class);

    private static DescribedPredicate<JavaClass> notConcurrent() {
        return DescribedPredicate.describe("are not listed as concurrent",
                type -> !CONCURRENT.contains(outermost(type).getSimpleName()));
    }

    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
    }
}
