import { AppError, toAppError } from "../../../base/errors.js";
import type { Clock } from "../../../base/time/clock.js";
import type { SocketRoute } from "../../../http/sockets.js";
import { CLOSE_CODES, type ServedSocket, type SocketEnd } from "../../../http/web-socket.js";
import { quietEnd } from "../../events/board-socket.js";
import { createRpcFollows } from "./follow.js";
import { attachOwner } from "./owner-client.js";
import type { RpcParts } from "./rpc-socket.js";

const MESSAGE_MAX = 4096;

/** Events of the owner, one in each message, for programs that ask nothing: those of all conversations, unless `topic` says otherwise. */
export const eventsSocket = (
  path: string,
  parts: Pick<RpcParts, "port" | "log"> & { readonly clock: Clock },
): SocketRoute => ({
  path,
  maxMessage: MESSAGE_MAX,
  open: async (query) => {
    const topics = query.getAll("topic");
    const asked = { topics: topics.length === 0 ? ["sessions"] : topics, after: afterOf(query.get("after")) };
    return (socket) => serve(parts, socket, asked);
  },
});

function serve(
  { port, log, clock }: Parameters<typeof eventsSocket>[1],
  socket: ServedSocket,
  asked: { readonly topics: string[]; readonly after: number | undefined },
): SocketEnd {
  const send = (told: object, done?: () => void) => socket.send(JSON.stringify(told), done);
  const client = attachOwner(port, {
    sub: (frame, done) => follows.sub(frame, done),
    delta: (delta, done) => follows.delta(delta, done),
    event: (event, done) => send(event, done),
    end: () => socket.close(CLOSE_CODES.tryLater, "the owner closed this connection"),
  });
  const follows = createRpcFollows(client, ({ sub: _own, ...told }, done) => send(told, done));
  const begin = async () => {
    await (await client).call("hello", { kind: "browser" });
    const { answer, start } = await follows.begin(asked);
    send({ event: "hello", data: { cursors: answer.cursors } });
    start();
  };
  begin().catch((thrown: unknown) => {
    const error = toAppError(thrown);
    if (error.code === "E_INTERNAL") log.error("failed to send events", { error: error.message });
    socket.close(error.code === "E_INTERNAL" ? CLOSE_CODES.broken : CLOSE_CODES.policy, error.message.slice(0, 100));
  });
  const quiet = quietEnd(socket, clock);
  return {
    ...quiet,
    closed: () => {
      client.then(
        (it) => it.closed(),
        () => undefined,
      );
    },
  };
}

function afterOf(given: string | null): number | undefined {
  if (given === null) return undefined;
  const after = /^\d{1,16}$/.test(given) ? Number(given) : Number.NaN;
  if (Number.isSafeInteger(after)) return after;
  throw new AppError("E_INVALID", "after must be the seq of an event");
}
