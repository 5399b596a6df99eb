import type { Welcome } from "../proto/wire.js";
import type { CallOptions, Client, SubscribeOptions } from "./client.js";

const NOBODY: Welcome = { protocol: 0, version: "", pid: 0, home: "" };

/** A client that is on its way: what is asked of it waits, each with its own signal. When it never comes, everything fails with the reason. */
export function comingClient(coming: Promise<Client>): Client {
  let here: Client | undefined;
  coming.then(
    (client) => {
      here = client;
    },
    () => undefined, // each caller is told
  );
  const when = (signal?: AbortSignal): Client | Promise<Client> => here ?? unlessAborted(coming, signal);
  const listen = (begin: (client: Client) => () => void): (() => void) => {
    let stop: (() => void) | undefined;
    let over = false;
    coming.then(
      (client) => {
        if (!over) stop = begin(client);
      },
      () => undefined,
    );
    return () => {
      over = true;
      stop?.();
    };
  };
  return {
    get owner() {
      return here?.owner ?? NOBODY;
    },
    get connected() {
      return here?.connected ?? false;
    },
    call: async <T>(method: string, params: object = {}, options: CallOptions = {}) =>
      (await when(options.signal)).call<T>(method, params, options),
    run: async (input, caller) => (await when()).run(input, caller),
    subscribe: (store, options) => later(when, store, options),
    topics: async (topics, listener) => (await when()).topics(topics, listener),
    onEvent: (listener) => listen((client) => client.onEvent(listener)),
    onClose: (listener) => listen((client) => client.onClose(listener)),
    onConnect: (listener) => listen((client) => client.onConnect(listener)),
    greet: (hello) => listen((client) => client.greet(hello)),
    close: () => {
      coming.then(
        (client) => client.close(),
        () => undefined,
      );
    },
  };
}

async function* later(when: (signal?: AbortSignal) => Client | Promise<Client>, store: string, options: SubscribeOptions) {
  yield* (await when(options.signal)).subscribe(store, options);
}

function unlessAborted<T>(coming: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return coming;
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    if (signal.aborted) return stop();
    signal.addEventListener("abort", stop, { once: true });
    coming.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
