import { type Client, type ClientOptions, connectOver, type MetOwner, meetOver } from "./client.js";
import type { Backplane } from "./server.js";
import type { Transport } from "./transport.js";

/** A client inside the owner's own process: the same messages and rules, no socket. */
export async function localConnection(server: Backplane, options: ClientOptions): Promise<Client> {
  return await connectOver(localTransport(server), options);
}

/** The owner in this process, for a client that finds its successor elsewhere. */
export async function meetLocally(server: Backplane, options: ClientOptions): Promise<MetOwner> {
  return await meetOver(localTransport(server), options);
}

/** Both ends of a pair in one process. Messages arrive later, never inside `send`, as over a socket. */
function localTransport(server: Backplane): Transport {
  let message: (text: string) => void = () => undefined;
  let closed: () => void = () => undefined;
  let open = true;
  let paused: { text: string; done: () => void }[] | undefined;
  const deliver = (item: { text: string; done: () => void }) => {
    if (paused) {
      paused.push(item);
      return;
    }
    item.done();
    if (open) message(item.text);
  };
  const close = () => {
    if (!open) return;
    open = false;
    queueMicrotask(() => {
      end.closed();
      closed();
    });
  };
  const end = server.attach("local", {
    write: (text, done) => queueMicrotask(() => deliver({ text, done })),
    end: () => queueMicrotask(close),
    destroy: close,
  });
  return {
    send: (text) => {
      queueMicrotask(() => {
        if (open) end.message(text);
      });
    },
    onMessage: (listener) => {
      message = listener;
    },
    onClose: (listener) => {
      closed = listener;
    },
    pause: () => {
      paused ??= [];
    },
    resume: () => {
      const items = paused ?? [];
      paused = undefined;
      for (const item of items) deliver(item);
    },
    close,
  };
}
