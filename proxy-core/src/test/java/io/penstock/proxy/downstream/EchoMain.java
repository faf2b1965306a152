package io.penstock.proxy.downstream;

import java.util.concurrent.CountDownLatch;

/** Runs the listener on its own for tools such as h2spec and h2load; prints the port. With an argument: TLS. */
final class EchoMain {

    private EchoMain() {
    }

    public static void main(String[] args) throws InterruptedException {
        try (TestProxy proxy = args.length == 0 ? new TestProxy() : TlsTest.proxy(null, "TLSv1.2")) {
            System.out.println(proxy.address().getPort());
            new CountDownLatch(1).await();
        }
    }
}
