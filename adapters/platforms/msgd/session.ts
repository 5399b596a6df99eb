import type * as z from "zod";
import { toAppError } from "../../../lib/base/errors.js";
import type { Log } from "../../../lib/base/log/log.js";
import type { Clock } from "../../../lib/base/time/clock.js";
import type { Ms } from "../../../lib/base/units.js";
import type { AdapterFault } from "../../../lib/contracts/gateway/platform.js";
import { isLoopback } from "../common/base-address.js";
import type { Library } from "./library.js";
import type { MsgdSettings } from "./settings.js";
import type { BotShape } from "./wire.js";

/** An event as the platform tells it. `session`: the session whose number `seq` is. */
export interface Dispatch {
  readonly session: string;
  readonly seq: number;
  readonly type: string;
  readonly data: unknown;
}

/** Where to go on with a session: everything up to `seq` is handled. */
export interface Place {
  readonly id: string;
  readonly url: string;
  readonly seq: number;
}

export interface SessionParts {
  readonly library: Pick<Library, "WebSocketShard" | "WebSocketShardEvents" | "WebSocketShardDestroyRecovery">;
  readonly settings: MsgdSettings;
  readonly clock: Clock;
  readonly chance: () => number;
  readonly log: Log;
  readonly gateway: z.infer<typeof BotShape>;
  readonly intents: number;
  /** Where an earlier process stopped. */
  readonly stored: Place | undefined;
  readonly told: (dispatch: Dispatch) => void;
  /** It is of no use any more. */
  readonly lost: (fault: AdapterFault) => void;
}

/** One session of the platform's event side; it outlives its connections, which are renewed inside. */
export interface Session {
  /** Resolves when events come in, or with the reason why they cannot. */
  readonly begun: Promise<AdapterFault | undefined>;
  /** The session that is spoken; undefined before the platform gave one. */
  place(): Place | undefined;
  /** Everything up to this number is stored: a connection that is renewed goes on behind it. */
  handled(session: string, seq: number): void;
  /** Close the connection until `go`: the platform keeps what it has. */
  hold(): Promise<void>;
  go(): void;
  /** Leaves no timer and no socket. The platform keeps the session for a while. */
  end(): Promise<void>;
}

const CLOSE_MS: Ms = 2000;
const IDENTIFY_MS: Ms = 5000;
const FIRST_WAIT_MS: Ms = 1000;
const LONGEST_WAIT_MS: Ms = 60_000;
const ATTEMPTS = 8;
/** Keeps the session alive at the platform, as 1000 does not. */
const RESUMABLE = 4200;

const FATAL: Readonly<Record<number, (intents: number) => AdapterFault>> = {
  4004: () => ({
    code: "auth_failed",
    message: "the platform refuses MSGD_BOT_TOKEN: put the token that the bot has now into the home's .env",
  }),
  4010: () => ({ code: "platform_error", message: "the platform refuses the connection: invalid shard" }),
  4011: () => ({
    code: "platform_error",
    message: "the bot is in too many servers for one connection: sharding is required",
  }),
  4012: () => ({ code: "platform_error", message: "the platform no longer speaks version 10 of its API" }),
  4013: () => ({ code: "platform_error", message: "the platform does not know the intents that are asked for" }),
  4014: (intents) => ({ code: "missing_intents", message: missing(intents) }),
};

export const INTENTS = {
  guilds: 1,
  members: 1 << 1,
  messages: 1 << 9,
  reactions: 1 << 10,
  direct: 1 << 12,
  content: 1 << 15,
} as const;

function missing(intents: number): string {
  const names = ["Message Content Intent", ...((intents & INTENTS.members) === 0 ? [] : ["Server Members Intent"])];
  return `the bot may not have its privileged intents: turn on ${names.join(" and ")} in the settings of the application, under Bot`;
}

/** Undefined: a connection to it may be made. */
export function gatewayProblem(address: string, { insecure }: Pick<MsgdSettings, "insecure">): string | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === "wss:") return undefined;
  if (url?.protocol === "ws:" && (insecure || isLoopback(address))) return undefined;
  return `the platform names a websocket that may not be used: ${url === undefined ? "no address" : `${url.protocol}//${url.host}`}`;
}

interface Live {
  place: Place | undefined;
  /** Connections that were begun since events last came in. */
  attempts: number;
  held: boolean;
  readonly control: AbortController;
}

export function openSession(parts: SessionParts): Session {
  const { clock } = parts;
  const live: Live = { place: parts.stored, attempts: 0, held: false, control: new AbortController() };
  const { signal } = live.control;
  let settle: (fault: AdapterFault | undefined) => void = () => undefined;
  let open = false;
  const begun = new Promise<AdapterFault | undefined>((resolve) => {
    settle = resolve;
  });
  const fail = (fault: AdapterFault) => {
    if (signal.aborted) return;
    if (open) parts.lost(fault);
    settle(fault);
  };
  const shard = shardOf(parts, live, {
    again: (resume) => {
      if (!resume) live.place = undefined;
      if (!signal.aborted && !live.held) connect().catch(() => undefined); // it ended meanwhile
    },
    broken: (error) =>
      fail({
        code: "platform_error",
        message: `the platform says what cannot be understood: ${toAppError(error).message}`,
      }),
  });
  const connect = async () => {
    live.attempts += 1;
    if (live.attempts > ATTEMPTS)
      return fail({ code: "network", message: `${ATTEMPTS} connections to the platform in a row failed` });
    if (live.attempts > 1) await clock.sleep(waitOf(live.attempts, parts.chance), signal);
    if (signal.aborted || live.held) return;
    await shard.connect().catch((error: unknown) => {
      if (!open)
        fail({ code: "network", message: `the platform's websocket cannot be used: ${toAppError(error).message}` });
    });
  };
  const works = () => {
    live.attempts = 0;
    open = true;
    settle(undefined);
  };
  listen(parts, live, { shard, works, fail, open: () => open });
  connect().catch(() => undefined); // it ended meanwhile
  return {
    begun,
    place: () => live.place,
    handled: (session, seq) => {
      if (live.place?.id === session && seq > live.place.seq) live.place = { ...live.place, seq };
    },
    hold: async () => {
      live.held = true;
      await shard.destroy({ code: RESUMABLE });
    },
    go: () => {
      if (!live.held) return;
      live.held = false;
      connect().catch(() => undefined); // it ended meanwhile
    },
    end: async () => {
      live.control.abort(new Error("disconnected"));
      settle({ code: "timeout", message: "the connect was stopped" });
      await shard.destroy({ code: RESUMABLE });
      // A connection may have been begun in the same moment: it is there now.
      await shard.destroy({ code: RESUMABLE });
    },
  };
}

interface Listening {
  readonly shard: InstanceType<Library["WebSocketShard"]>;
  /** Events come in. */
  readonly works: () => void;
  readonly fail: (fault: AdapterFault) => void;
  readonly open: () => boolean;
}

function listen(
  { library, log, intents, told }: SessionParts,
  live: Live,
  { shard, works, fail, open }: Listening,
): void {
  const { Ready, Resumed, Closed, Dispatch: Told, Error: Failed } = library.WebSocketShardEvents;
  shard.on(Ready, works);
  shard.on(Resumed, works);
  shard.on(Failed, ({ error }) =>
    log.warning("the connection to the platform had an error", { tag: "msgd", error: error.message }),
  );
  shard.on(Closed, ({ code }) => {
    const fatal = FATAL[code];
    if (fatal !== undefined) return fail(fatal(intents));
    if (!open() && code !== 1000 && code !== RESUMABLE)
      fail({ code: "network", message: `the platform closed the connection (${code})` });
  });
  shard.on(Told, ({ data }) => {
    const session = live.place?.id;
    const seq = Number.isSafeInteger(data.s) ? data.s : 0;
    if (session !== undefined && !live.control.signal.aborted)
      told({ session, seq, type: String(data.t), data: data.d });
  });
}

/** None before the first; then from a second to a minute, spread. */
const waitOf = (attempt: number, chance: () => number): Ms =>
  attempt <= 2
    ? FIRST_WAIT_MS * chance()
    : Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 2)) * (0.8 + 0.4 * chance());

interface Ends {
  /** Connect again, with the session or without it. */
  readonly again: (resume: boolean) => void;
  /** A step of the library failed. */
  readonly broken: (error: unknown) => void;
}

/** Steps that the library begins without waiting for their end: a frame of an unknown shape would end the whole program. */
const STEPS = ["onMessage", "onClose", "heartbeat", "internalConnect"] as const;

function guard(shard: object, broken: (error: unknown) => void): void {
  for (const step of STEPS) {
    const own: unknown = Reflect.get(shard, step);
    if (typeof own !== "function") continue;
    const guarded = async (...given: unknown[]): Promise<void> => {
      try {
        await own.apply(shard, given);
      } catch (error) {
        broken(error);
      }
    };
    Reflect.set(shard, step, guarded);
  }
}

/**
 * The library's connection, which knows heartbeats, resuming and the platform's close codes. How it ends is ours: its own way waits by the system's
 * clock, comes back half a second after it was ended, keeps a socket that is being opened, and waits as long as the other side likes.
 */
function shardOf(parts: SessionParts, live: Live, { again, broken }: Ends): InstanceType<Library["WebSocketShard"]> {
  const { library, settings, clock } = parts;
  const { Resume } = library.WebSocketShardDestroyRecovery;
  let identified = Number.NEGATIVE_INFINITY;
  class Connection extends library.WebSocketShard {
    #ending: Promise<void> | undefined;
    constructor(...given: ConstructorParameters<Library["WebSocketShard"]>) {
      super(...given);
      guard(this, broken);
    }
    override destroy(options: Parameters<InstanceType<Library["WebSocketShard"]>["destroy"]>[0] = {}): Promise<void> {
      this.#ending ??= this.#end(options).finally(() => {
        this.#ending = undefined;
      });
      return this.#ending;
    }
    async #end({
      recover,
      code,
      reason,
    }: NonNullable<Parameters<InstanceType<Library["WebSocketShard"]>["destroy"]>[0]>): Promise<void> {
      const socket: unknown = Reflect.get(this, "connection");
      const cancel = clock.after(CLOSE_MS, () => cut(socket));
      await super.destroy({
        code: code ?? (recover === Resume ? RESUMABLE : 1000),
        ...(reason === undefined ? {} : { reason }),
      });
      cancel();
      cut(socket);
      // After the step in which the end is noted, so that a connection may follow.
      if (recover !== undefined) queueMicrotask(() => queueMicrotask(() => again(recover === Resume)));
    }
  }
  const options = {
    token: settings.token.reveal(),
    intents: parts.intents,
    version: "10",
    gatewayInformation: parts.gateway,
    shardCount: 1,
    encoding: "json",
    compression: null,
    largeThreshold: null,
    initialPresence: null,
    useIdentifyCompression: false,
    identifyProperties: { browser: "agent", device: "agent", os: process.platform },
    handshakeTimeout: 30_000,
    helloTimeout: 60_000,
    readyTimeout: 15_000,
  };
  return new Connection(
    {
      options: options as ConstructorParameters<Library["WebSocketShard"]>[0]["options"], // the encoding is the library's own word
      retrieveSessionInfo: () => {
        const { place } = live;
        if (place === undefined) return null;
        return { sessionId: place.id, resumeURL: place.url, sequence: place.seq, shardId: 0, shardCount: 1 };
      },
      updateSessionInfo: (_, info) => {
        // Only a new session is news: how far it is handled is known here alone.
        if (info === null || info.sessionId === live.place?.id) return;
        const fits = gatewayProblem(info.resumeURL, settings) === undefined;
        live.place = { id: info.sessionId, url: fits ? info.resumeURL : parts.gateway.url, seq: 0 };
      },
      waitForIdentify: async (_, signal) => {
        const wait = identified + IDENTIFY_MS - clock.mono();
        if (wait > 0) await clock.sleep(wait, AbortSignal.any([signal, live.control.signal]));
        identified = clock.mono();
      },
    },
    0,
  );
}

/** End a socket whatever it does, also one that is being opened. */
function cut(socket: unknown): void {
  if (typeof socket !== "object" || socket === null || !("terminate" in socket) || !("on" in socket)) return;
  const { terminate, on } = socket;
  if (typeof on === "function") on.call(socket, "error", () => undefined);
  if (typeof terminate === "function") terminate.call(socket);
}
