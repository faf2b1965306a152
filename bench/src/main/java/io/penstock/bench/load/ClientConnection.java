package io.penstock.bench.load;

/** One connection of the load client. Used on its event loop only. */
interface ClientConnection {

    /** Whether it takes another request now; false for good once it is lost. */
    boolean hasRoom();

    /** Whether it will ever have room again. */
    boolean alive();

    void send(LoadRequest request, Call call);

    /** What a connection tells its client. */
    interface Owner {
        /** The connection may be used. */
        void ready();

        /** An exchange has ended, or a limit has grown. */
        void roomFreed();

        /** The connection will never have room again. */
        void lost();
    }
}
