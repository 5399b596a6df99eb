import { AppError, fromWireError } from "../../../base/errors.js";
import type { AttachedClient } from "../../../contracts/owner/door.js";
import type {
  RunFrame,
  ServerMessage,
  SubFrame,
  WireDelta,
  WireEvent,
  WireReply,
} from "../../../contracts/wire/wire.js";
import type { LivePort } from "../../events/ports.js";

/** A client of the owner in its own process, for one browser. */
export interface OwnerClient {
  /** @throws the owner's error */
  call(
    method: string,
    params: unknown,
    more?: { readonly key?: string | undefined; readonly again?: boolean | undefined },
  ): Promise<unknown>;
  /** The browser is gone. */
  closed(): void;
}

/** What the owner tells by itself. `done`: the browser has taken it. */
export interface Heard {
  sub(frame: SubFrame, done: () => void): void;
  delta(delta: WireDelta, done: () => void): void;
  event(event: WireEvent, done: () => void): void;
  /** The owner has cut this client off. */
  end(): void;
}

interface Pending {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** Become a client. What waits for the browser counts against it here as well: a slow one is served in portions. */
export async function attachOwner(port: Pick<LivePort, "attach">, heard: Heard): Promise<OwnerClient> {
  const pending = new Map<number, Pending>();
  let last = 0;
  let gone = false;
  const end = () => {
    gone = true;
    for (const { reject } of pending.values()) reject(new AppError("E_OWNER_LOST", "the connection has ended"));
    pending.clear();
    heard.end();
  };
  const attached: AttachedClient = await port.attach({
    write: (text, done) => {
      const message = JSON.parse(text) as ServerMessage; // written by the owner's own serialiser
      if ("id" in message) {
        done();
        settle(pending, message);
      } else if ("sub" in message) heard.sub(message, done);
      else if ("topic" in message) heard.delta(message, done);
      else heard.event(message, done);
    },
    end,
    destroy: end,
  });
  return {
    call: (method, params, more = {}) =>
      new Promise((resolve, reject) => {
        if (gone) return reject(new AppError("E_OWNER_LOST", "the connection has ended"));
        last += 1;
        pending.set(last, { resolve, reject });
        attached.message(JSON.stringify({ id: last, method, params, ...more }));
      }),
    closed: () => {
      gone = true;
      attached.closed();
    },
  };
}

function settle(pending: Map<number, Pending>, message: WireReply | RunFrame): void {
  const { id } = message;
  const waiting = id === null ? undefined : pending.get(id);
  if (id === null || waiting === undefined) return;
  pending.delete(id);
  if ("error" in message) waiting.reject(fromWireError(message.error));
  else waiting.resolve("result" in message ? message.result : null);
}
