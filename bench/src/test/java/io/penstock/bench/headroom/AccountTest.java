package io.penstock.bench.headroom;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class AccountTest {

    private final Account account = new Account();

    private Item drawn(long id) {
        account.drawn();
        return new Item(id, 0);
    }

    private void end(Item item, Item.State state) {
        if (state == Item.State.DONE) {
            account.attempted();
            account.ended(Outcome.DONE);
        }
        item.end(state);
        account.closed(item);
    }

    @Test
    void balancesWhenEveryItemHasEnded() {
        Item first = drawn(1);
        Item second = drawn(2);
        end(first, Item.State.DONE);
        assertThatThrownBy(() -> account.totals().check()).hasMessageContaining("2 drawn, 1 done, 0 expired");
        end(second, Item.State.EXPIRED);
        account.totals().check();
        assertThat(account.open()).isZero();
    }

    @Test
    void anItemEndsOnce() {
        Item item = drawn(1);
        end(item, Item.State.DONE);
        assertThatThrownBy(() -> item.end(Item.State.EXPIRED)).isInstanceOf(IllegalStateException.class);
        assertThat(item.state()).isEqualTo(Item.State.DONE);
    }

    @Test
    void anAttemptThatNeverEndedDoesNotBalance() {
        Item item = drawn(1);
        account.attempted();
        end(item, Item.State.DONE);
        assertThatThrownBy(() -> account.totals().check()).hasMessageContaining("2 sent, 1 ended, 0 given up");
        account.cancelled();
        account.totals().check();
    }

    @Test
    void saysWhenTheLastOneHasEnded() {
        AtomicInteger settled = new AtomicInteger();
        Item item = drawn(1);
        account.whenSettled(settled::incrementAndGet);
        assertThat(settled).hasValue(0);
        end(item, Item.State.EXPIRED);
        assertThat(settled).hasValue(1);
        account.whenSettled(settled::incrementAndGet);
        assertThat(settled).hasValue(2);
    }

    @Test
    void aShareIsOfTheAttemptsThatEndedSinceTheMark() {
        account.attempted();
        account.ended(Outcome.DONE);
        Account.Totals mark = account.totals();
        for (Outcome outcome : List.of(Outcome.SATURATED, Outcome.DONE, Outcome.DONE, Outcome.FAILED)) {
            account.attempted();
            account.ended(outcome);
        }
        assertThat(account.totals().since(mark).refusedShare()).isEqualTo(0.25);
        assertThat(mark.since(mark).refusedShare()).isZero();
    }

    @Test
    void whatCameBackGoesFirstAndWhatExpiredMeanwhileNotAtAll() {
        Queue<Item> source = new ArrayDeque<>(List.of(new Item(1, 0), new Item(2, 0)));
        Backlog backlog = new Backlog(source::poll);
        Item first = backlog.next();
        assertThat(first).isNotNull();
        backlog.putBack(first);
        assertThat(backlog.next()).isSameAs(first);
        backlog.putBack(first);
        first.end(Item.State.EXPIRED);
        Item second = backlog.next();
        assertThat(second).isNotNull();
        assertThat(second.id()).isEqualTo(2);
        backlog.putBack(second);
        backlog.close();
        assertThat(backlog.next()).as("closed to new ones only").isSameAs(second);
        assertThat(backlog.next()).isNull();
    }
}
