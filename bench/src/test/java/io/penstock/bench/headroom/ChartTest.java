package io.penstock.bench.headroom;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

class ChartTest {

    private static Document parsed(String svg) throws Exception {
        DocumentBuilderFactory factory = DocumentBuilderFactory.newInstance();
        factory.setFeature("http://apache.org/xml/features/disallow-doctype-decl", true);
        return factory.newDocumentBuilder().parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
    }

    private static Series series(int points) {
        Series series = new Series();
        for (int i = 0; i < points; i++) {
            series.add(new Series.Point(i * 0.02, 48 + i % 7, 40, i < 5 ? -1 : 12, i / 3));
        }
        return series;
    }

    private static Cell cell() {
        return Cell.of("t", Law.CREDIT, 4, 16, 0.2, new Cell.Times(1000, 2000)).named("a < b & \"c\"").slowingTo(0.5);
    }

    @Test
    void aPictureIsWellFormedAndHasALineForEachSeries() throws Exception {
        Document document = parsed(Picture.of(cell(), series(150)));
        assertThat(document.getDocumentElement().getTagName()).isEqualTo("svg");
        NodeList paths = document.getElementsByTagName("path");
        int lines = 0;
        for (int i = 0; i < paths.getLength(); i++) {
            String path = paths.item(i).getAttributes().getNamedItem("d").getNodeValue();
            assertThat(path).doesNotContain("NaN").doesNotContain("Infinity").doesNotContain(",");
            if (path.contains("L")) {
                lines++;
            }
        }
        assertThat(lines).isEqualTo(4);
        assertThat(document.getElementsByTagName("title").item(0).getTextContent()).startsWith("a < b & \"c\": 4 dispatchers, band of 16");
        assertThat(document.getElementsByTagName("style").item(0).getTextContent()).contains("prefers-color-scheme: dark");
    }

    @Test
    void aRunWithoutSamplesIsAnEmptyPicture() throws Exception {
        assertThat(parsed(Picture.of(cell(), series(0))).getElementsByTagName("path").getLength()).isPositive();
        parsed(Picture.of(cell(), series(1)));
    }

    @ParameterizedTest
    @CsvSource({"1, 0.2", "3, 1", "3.4, 1", "16, 5", "50, 10", "256, 50", "5000, 1000"})
    void anAxisHasAFewRoundSteps(double most, double step) {
        assertThat(Chart.step(most)).isEqualTo(step);
        assertThat(most / Chart.step(most)).isBetween(2.9, 7.6);
    }
}
