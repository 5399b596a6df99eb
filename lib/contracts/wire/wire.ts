/**
 * Messages between an owner and its clients (core part, 1.2): one JSON object per line on the local socket, per text message on a WebSocket.
 * Unknown fields are ignored. Clients check lightly and need only the types; the owner parses with the schemas.
 */
import * as z from "zod";
import type { ErrorFacts, WireError } from "../../base/errors.js";

/** Grows when a message changes its meaning. Owner and client of different protocols refuse each other by name. */
export const PROTOCOL = 1;

const key = z.string().min(1).max(200);

/** A request. `key` makes a changing call safe to repeat for 10 minutes. Without `id` it is a notification: it gets no answer. */
export const requestSchema = z.object({
  id: z.int().min(0).optional(),
  method: z.string().min(1).max(100),
  params: z.record(z.string(), z.unknown()).default({}),
  key: key.optional(),
  /** It was sent before, over a connection that was lost before the answer. */
  again: z.boolean().optional(),
});
export type WireRequest = z.output<typeof requestSchema>;

/** What a board worker proves itself with; such a client may call only the methods made for workers. */
const claimSchema = z.object({
  board: z.string().min(1).max(64),
  task: z.string().min(1).max(64),
  run: z.int().min(1),
  token: z.string().min(1).max(200),
});
export type WireClaim = z.output<typeof claimSchema>;

/** `hello` is optional and comes first. A claim cannot be changed later. */
export const helloSchema = z.object({
  protocol: z.int().default(PROTOCOL),
  /** What the client is: `cli`, `workspace`, `worker`, `browser`. For people. */
  kind: z.string().max(40).default("client"),
  version: z.string().max(60).default(""),
  pid: z.int().optional(),
  claim: claimSchema.optional(),
});
export type Hello = z.output<typeof helloSchema>;

/** Answer to `hello`. */
export interface Welcome {
  readonly protocol: number;
  readonly version: string;
  readonly pid: number;
  readonly home: string;
}

/** `run`: execute one command line in the owner. */
export const runSchema = z.object({
  argv: z.array(z.string()).max(20_000),
  cwd: z.string().max(8192),
  env: z.record(z.string(), z.string()).default({}),
  columns: z.int().min(1).max(100_000).default(80),
  color: z.boolean().default(false),
  /** Standard output of the caller is a terminal. */
  is_tty: z.boolean().default(false),
  /** Process of the caller. */
  pid: z.int().min(1).optional(),
  /** The caller can be asked for its standard input. */
  stdin: z.boolean().default(false),
  /** The caller takes frames with `bytes`. */
  raw: z.boolean().optional(),
});
export type RunRequest = z.output<typeof runSchema>;

const RUN_SIGNALS = ["SIGINT", "SIGTERM", "SIGPIPE", "SIGHUP"] as const;
export type RunSignal = (typeof RUN_SIGNALS)[number];

/** Notification: the caller of run `run` (the id of its request) got a signal. `SIGPIPE`: its output is closed. */
export const runSignalSchema = z.object({ run: z.int().min(0), signal: z.enum(RUN_SIGNALS) });
/** Notification: a piece of standard input of run `run`, sent after a frame `want`. */
export const runStdinSchema = z.object({
  run: z.int().min(0),
  data: z.string().default(""),
  end: z.boolean().default(false),
});

/** Follow the durable events of a store. Without `after_seq`: from now on. */
export const subscribeSchema = z.object({ store: z.string().min(1).max(100), after_seq: z.int().min(0).optional() });
export const unsubscribeSchema = z.object({ sub: z.int().min(1) });
/** Follow the lossy deltas of some topics (`session:<id>`, `board:<slug>`, `owner`, `logs:<what, as JSON>`). */
export const topicsSchema = z.object({ topics: z.array(z.string().min(1).max(2_000)).min(1).max(256) });

/** Answer to `events.subscribe`. Events after `after_seq` follow. */
export interface Subscribed {
  readonly sub: number;
  readonly after_seq: number;
}

/** An event as clients get it (core part, 1.4). With `seq` it is durable; without, it describes the present only. `at` is ISO 8601 UTC. */
export interface WireEvent {
  readonly event: string;
  readonly seq?: number;
  readonly store?: string;
  readonly session_id?: string;
  readonly turn_id?: string;
  readonly task_id?: string;
  readonly run_id?: number;
  readonly actor?: string;
  readonly at: string;
  readonly data: ErrorFacts;
}

/** A delta: its topic and the event of the moment. */
export interface WireDelta extends WireEvent {
  readonly topic: string;
}

/** `id` is null when the message was so broken that its request is unknown. */
export type WireReply =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number | null; readonly error: WireError };

/** Frames of a run, before its reply `{exit}`. `ack` comes first: without it nothing was started. */
export interface RunFrame {
  readonly id: number;
  readonly ack?: true;
  readonly out?: string;
  readonly err?: string;
  /** So many bytes of standard output follow the line of this frame. */
  readonly bytes?: number;
  /** Send standard input now, at most so many bytes, as `run.stdin`. */
  readonly want?: number;
  /** With `want`: where the input is a terminal, ask with these words for one line that is not shown. */
  readonly hidden?: string;
  /** Exit code when the caller's output closes early (default 0; 141 for turns). */
  readonly pipe?: number;
  /** How far a follow command has come: with it the caller goes on where it was when the owner ends. */
  readonly cursor?: number;
}

export interface RunResult {
  readonly exit: number;
}

/** What a subscription brings. `reset`: the cursor was pruned or lies ahead; read the state afresh, events after `last_seq` follow. */
export type SubFrame =
  | { readonly sub: number; readonly events: readonly WireEvent[] }
  | { readonly sub: number; readonly reset: { readonly last_seq: number } }
  | { readonly sub: number; readonly ended: WireError };

/** Everything an owner sends. */
export type ServerMessage = WireReply | RunFrame | SubFrame | WireDelta | WireEvent;
