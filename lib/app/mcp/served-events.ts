import type { Client } from "../../backplane/client.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { EventFilter, ServedEvent } from "../../contracts/mcp/served.js";
import type { WireEvent } from "../../contracts/wire/wire.js";

/** Events kept for late readers; older ones are read from the store of the owner again. */
const KEPT = 1_000;
/** Sessions whose chat is remembered. */
const CHATS = 500;

export interface ServedEventsDeps {
  readonly client: Client;
  readonly clock: Clock;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** What the owner reported since this was made, and before. */
export interface ServedEvents {
  /** Waits until the owner's events are followed: what happens after the answer is never missed. Aborting ends that wait only. */
  after(
    filter: EventFilter,
    limit: number,
    signal: AbortSignal,
  ): Promise<{ readonly events: readonly ServedEvent[]; readonly next: number }>;
  next(filter: EventFilter, waitMs: Ms, signal: AbortSignal): Promise<ServedEvent | undefined>;
}

interface Own extends ServedEventsDeps {
  /** In order; all that came after `floor`. */
  readonly kept: ServedEvent[];
  readonly chats: Map<string, Promise<string | null>>;
  readonly waiting: Set<() => void>;
  /** Cursor before the oldest kept event; undefined: the owner was not met yet. */
  floor: number | undefined;
  /** The newest event that was looked at, of whatever kind. */
  seen: number;
}

/** Follow the events of conversations from now on. */
export function followServedEvents(deps: ServedEventsDeps): ServedEvents {
  const own: Own = { ...deps, kept: [], chats: new Map(), waiting: new Set(), floor: undefined, seen: 0 };
  follow(own).catch((error: unknown) => {
    if (!deps.signal.aborted) deps.log.error("no longer following events", { error: String(error) });
  });
  return {
    after: (filter, limit, signal) => eventsAfter(own, filter, limit, signal),
    next: (filter, waitMs, signal) => nextEvent(own, filter, { waitMs, signal }),
  };
}

async function follow(own: Own): Promise<void> {
  const { client, signal } = own;
  const onBegin = (after: number) => {
    own.floor ??= after;
    own.seen = Math.max(own.seen, after);
    wake(own);
  };
  for await (const item of client.subscribe("sessions", { signal, onBegin })) {
    if (item.kind === "reset") own.seen = item.lastSeq;
    else
      for (const event of item.events) {
        const served = await toServed(own, event);
        if (served !== undefined) keep(own, served);
        own.seen = event.seq ?? own.seen;
      }
    wake(own);
  }
}

function keep(own: Own, event: ServedEvent): void {
  own.kept.push(event);
  const dropped = own.kept.length > KEPT ? own.kept.shift() : undefined;
  if (dropped !== undefined) own.floor = dropped.cursor;
}

function wake({ waiting }: Own): void {
  for (const each of [...waiting]) each();
}

const fits = ({ after, sessionKey }: EventFilter, { cursor, session_key }: ServedEvent): boolean =>
  cursor > after && (sessionKey === undefined || session_key === sessionKey);

async function eventsAfter(
  own: Own,
  filter: EventFilter,
  limit: number,
  signal: AbortSignal,
): Promise<{ readonly events: readonly ServedEvent[]; readonly next: number }> {
  while (own.floor === undefined && !signal.aborted) await changed(own, signal);
  const floor = own.floor ?? 0;
  const old = filter.after > 0 && filter.after < floor ? await storedEvents(own, filter, { limit, until: floor }) : [];
  const events = [...old, ...own.kept.filter((event) => fits(filter, event))].slice(0, limit);
  const last = events.at(-1)?.cursor;
  return { events, next: events.length === limit && last !== undefined ? last : Math.max(filter.after, own.seen) };
}

/** Events before those that are kept, which the owner reads from its store. */
async function storedEvents(
  own: Own,
  filter: EventFilter,
  { limit, until }: { readonly limit: number; readonly until: number },
): Promise<readonly ServedEvent[]> {
  const found: ServedEvent[] = [];
  const done = new AbortController();
  const signal = AbortSignal.any([done.signal, own.signal]);
  for await (const item of own.client.subscribe("sessions", { after: filter.after, signal })) {
    if (item.kind === "reset") break; // they were pruned
    for (const event of item.events) {
      if ((event.seq ?? 0) > until) break;
      const served = await toServed(own, event);
      if (served !== undefined && fits(filter, served)) found.push(served);
    }
    if (found.length >= limit || (item.events.at(-1)?.seq ?? 0) >= until) break;
  }
  done.abort();
  return found;
}

async function nextEvent(
  own: Own,
  filter: EventFilter,
  { waitMs, signal }: { readonly waitMs: Ms; readonly signal: AbortSignal },
): Promise<ServedEvent | undefined> {
  const late = new AbortController();
  const cancel = own.clock.after(waitMs, () => late.abort());
  const ended = AbortSignal.any([late.signal, signal, own.signal]);
  try {
    for (;;) {
      const [event] = (await eventsAfter(own, filter, 1, ended)).events;
      if (event !== undefined || ended.aborted) return event;
      await changed(own, ended);
    }
  } finally {
    cancel();
  }
}

/** Resolves when something came, or the signal aborts. */
function changed({ waiting }: Own, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      waiting.delete(done);
      signal.removeEventListener("abort", done);
      resolve();
    };
    waiting.add(done);
    signal.addEventListener("abort", done, { once: true });
    if (signal.aborted) done();
  });
}

/** Undefined: it is none of the three kinds. */
async function toServed(own: Own, event: WireEvent): Promise<ServedEvent | undefined> {
  const { seq: cursor, session_id, at } = event;
  const shown = shownEvent(event);
  if (shown === undefined || cursor === undefined || session_id === undefined) return undefined;
  return { cursor, kind: shown.kind, session_key: await chatOf(own, session_id), session_id, at, data: shown.data };
}

function shownEvent({ event, data }: WireEvent): Pick<ServedEvent, "kind" | "data"> | undefined {
  switch (event) {
    case "message.added": {
      const { id, role, content, kind } = data;
      const said = role === "user" || (role === "assistant" && content !== "");
      return said && kind === undefined ? { kind: "message", data: { id, role, text: content } } : undefined;
    }
    case "approval.requested": {
      const { request: id, tool, command, reasons, options } = data;
      return { kind: "approval_requested", data: { id, tool, command, reasons, options } };
    }
    case "approval.resolved": {
      const { request: id, answer, by } = data;
      return { kind: "approval_resolved", data: { id, answer, by } };
    }
    default:
      return undefined;
  }
}

/** The chat of a conversation; asked once, and again where it did not have one. */
async function chatOf(own: Own, session_id: string): Promise<string | null> {
  const known = own.chats.get(session_id);
  if (known !== undefined) return known;
  const asked = own.client
    .call<{ readonly session_key: string } | null>("gateway.conversation", { session_id }, { repeat: true })
    .then((found) => found?.session_key ?? null);
  own.chats.set(session_id, asked);
  for (const oldest of own.chats.keys()) if (own.chats.size > CHATS) own.chats.delete(oldest);
  const key = await asked.catch((error: unknown) => {
    own.log.warning("failed to find the chat of a conversation", { error: String(error) });
    return null;
  });
  if (key === null) own.chats.delete(session_id); // a chat may still join it
  return key;
}
