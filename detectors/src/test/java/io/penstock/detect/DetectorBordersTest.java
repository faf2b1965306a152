package io.penstock.detect;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class DetectorBordersTest {

    private static final JavaClasses DETECTORS =
            new ClassFileImporter().withImportOption(new ImportOption.DoNotIncludeTests()).importPackages("io.penstock.detect");

    @Test
    void detectorsKnowFlowControlsPortsAndTheJdkOnly() {
        classes().should().onlyDependOnClassesThat()
                .resideInAnyPackage("io.penstock.detect", "io.penstock.flow", "io.penstock.flow.config", "io.penstock.flow.plugin",
                        "java..", "org.jspecify.annotations")
                .because("a detector sees load only through PoolView and EndpointView").check(DETECTORS);
    }

    @Test
    void detectorsHaveNoClockAndNoThreads() {
        noClasses().should().dependOnClassesThat().resideInAnyPackage("java.util.concurrent..", "java.time..")
                .orShould().callMethod(System.class, "nanoTime").orShould().callMethod(System.class, "currentTimeMillis")
                .because("the drainer passes the time in and must never wait").check(DETECTORS);
    }

    @Test
    void onlyTheFactoryAndItsPortsArePublic() {
        classes().that().arePublic().should().haveNameMatching(".*\\.(Detectors|DetectorEvents|EndpointFilter)").check(DETECTORS);
    }
}
