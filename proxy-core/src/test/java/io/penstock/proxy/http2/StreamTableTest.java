package io.penstock.proxy.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class StreamTableTest {

    @Test
    void holdsWhatAMapHolds() {
        Random random = new Random(7);
        Map<Integer, SessionStream> model = new HashMap<>();
        StreamTable table = new StreamTable();
        for (int i = 0; i < 50_000; i++) {
            int id = 1 + random.nextInt(i % 1_000 < 500 ? 40 : 4_000);
            if (model.containsKey(id)) {
                model.remove(id);
                table.remove(id);
            } else {
                SessionStream stream = new SessionStream(id, StreamState.OPEN, 0, 0);
                model.put(id, stream);
                table.add(stream);
            }
            int other = 1 + random.nextInt(4_000);
            assertThat(table.get(other)).isSameAs(model.get(other));
            assertThat(table.size()).isEqualTo(model.size());
        }
        assertThat(table.all()).containsExactlyInAnyOrderElementsOf(model.values());
        model.keySet().forEach(table::remove);
        assertThat(table.all()).isEmpty();
        table.remove(1);
        assertThat(table.size()).isZero();
    }
}
