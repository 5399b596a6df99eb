import * as z from "zod";
import { AppError } from "../../../base/errors.js";
import type { SubFrame, Subscribed, WireDelta, WireEvent } from "../../../contracts/wire/wire.js";
import type { OwnerClient } from "./owner-client.js";

/** Subscriptions of one browser. */
const FOLLOWS_MAX = 32;
const SESSION = "session:";
const SESSIONS = "sessions";
const BOARD = "board:";

/** `after`: the last event that is known, of the one store that the topics are about, or by the name of each; absent: from now on. */
export const followSchema = z.object({
  topics: z.array(z.string().min(1).max(2_000)).min(1).max(64).default([SESSIONS]),
  after: z.union([z.int().min(0), z.record(z.string(), z.int().min(0))]).optional(),
});
export const unfollowSchema = z.object({ sub: z.int().min(1) });

type Asked = z.output<typeof followSchema>;

/** Sends `event`: what happened, with the number of the subscription. `done`: it was taken. */
export type TellBrowser = (told: Readonly<Record<string, unknown>>, done?: () => void) => void;

/** What one browser follows: durable events of conversations and boards, and what lives for the moment, under one number. */
export interface RpcFollows {
  /** Answers the number, and for each store the event behind which it begins. @throws E_NOT_FOUND, E_BUSY */
  begin(asked: Asked): Promise<NewSubscriber>;
  end(sub: number): Promise<{ readonly ok: boolean }>;
  sub(frame: SubFrame, done: () => void): void;
  delta(delta: WireDelta, done: () => void): void;
}

/** A subscription that begins once its answer was sent. */
export interface NewSubscriber {
  readonly answer: { readonly sub: number; readonly cursors: Readonly<Record<string, number>> };
  start(): void;
}

interface Follow {
  readonly sub: number;
  /** Number with the owner -> the store. */
  readonly stores: Map<number, string>;
  /** Topics of the moment. */
  readonly topics: ReadonlySet<string>;
  /** Conversations whose durable events are wanted; undefined: of all. */
  readonly sessions: ReadonlySet<string> | undefined;
  /** What came before the answer was sent; undefined: it was. */
  held: (() => void)[] | undefined;
}

/** Nothing is followed yet. */
export function createRpcFollows(owner: Promise<OwnerClient>, tell: TellBrowser): RpcFollows {
  const follows = new Map<number, Follow>();
  const byOwner = new Map<number, Follow>();
  const early = new Map<number, (() => void)[]>();
  let last = 0;
  let newest = 0;
  const end = async (follow: Follow): Promise<void> => {
    follows.delete(follow.sub);
    for (const number of follow.stores.keys()) {
      byOwner.delete(number);
      await (await owner).call("events.unsubscribe", { sub: number });
    }
    const left = [...follow.topics].filter((topic) => ![...follows.values()].some(({ topics }) => topics.has(topic)));
    if (left.length > 0) await (await owner).call("topics.unfollow", { topics: left });
  };
  const begin = async (asked: Asked): Promise<NewSubscriber> => {
    if (follows.size >= FOLLOWS_MAX)
      throw new AppError("E_BUSY", `too many subscriptions (limit ${FOLLOWS_MAX})`, { bound: FOLLOWS_MAX });
    last += 1;
    const follow = followOf(last, asked);
    follows.set(follow.sub, follow);
    try {
      const cursors: Record<string, number> = {};
      for (const store of storesOf(asked)) {
        const given = (await (await owner).call("events.subscribe", subscription(store, asked))) as Subscribed; // the owner's own answer
        follow.stores.set(given.sub, store);
        byOwner.set(given.sub, follow);
        newest = Math.max(newest, given.sub);
        cursors[store] = given.after_seq;
        for (const late of early.get(given.sub) ?? []) late();
        early.delete(given.sub);
      }
      if (follow.topics.size > 0) await (await owner).call("topics.follow", { topics: [...follow.topics] });
      return { answer: { sub: follow.sub, cursors }, start: () => start(follow) };
    } catch (error) {
      await end(follow);
      throw error;
    }
  };
  const sub = (frame: SubFrame, done: () => void): void => {
    const follow = byOwner.get(frame.sub);
    // The owner's answer is settled a moment later than what comes right behind it.
    if (follow === undefined && frame.sub <= newest)
      done(); // it was ended, and this was on its way
    else if (follow === undefined) early.set(frame.sub, [...(early.get(frame.sub) ?? []), () => sub(frame, done)]);
    else if (follow.held === undefined) pass(follow, frame, tell, done);
    else follow.held.push(() => pass(follow, frame, tell, done));
  };
  return {
    begin,
    end: async (number) => {
      const follow = follows.get(number);
      if (follow !== undefined) await end(follow);
      return { ok: follow !== undefined };
    },
    sub,
    delta: (delta, done) => {
      const mine = [...follows.values()].filter(({ topics }) => topics.has(delta.topic));
      for (const follow of mine) {
        const give = () => tell({ sub: follow.sub, ...delta }, follow === mine.at(-1) ? done : undefined);
        if (follow.held === undefined) give();
        else follow.held.push(give);
      }
      if (mine.length === 0) done();
    },
  };
}

function followOf(sub: number, { topics }: Asked): Follow {
  const sessions = topics.filter((topic) => topic.startsWith(SESSION)).map((topic) => topic.slice(SESSION.length));
  return {
    sub,
    stores: new Map(),
    topics: new Set(topics.filter((topic) => topic !== SESSIONS && !topic.startsWith(BOARD))),
    sessions: topics.includes(SESSIONS) ? undefined : new Set(sessions),
    held: [],
  };
}

function start(follow: Follow): void {
  const { held = [] } = follow;
  follow.held = undefined;
  for (const give of held) give();
}

function storesOf({ topics }: Asked): readonly string[] {
  const chats = topics.some((topic) => topic === SESSIONS || topic.startsWith(SESSION)) ? [SESSIONS] : [];
  return [...chats, ...new Set(topics.filter((topic) => topic.startsWith(BOARD)))];
}

function subscription(store: string, { after, topics }: Asked): object {
  const one = storesOf({ topics, after }).length === 1;
  if (typeof after === "number" && !one)
    throw new AppError("E_INVALID_PARAMS", 'after must name the store of each cursor, e.g. {"sessions": 12}', {
      path: "after",
    });
  const seq = typeof after === "number" ? after : after?.[store];
  return seq === undefined ? { store } : { store, after_seq: seq };
}

/** Events for the browser. What is missing is reported as `events.reset`: the state has to be read again; the end of a store as `events.ended`. */
function pass(follow: Follow, frame: SubFrame, tell: TellBrowser, done: () => void): void {
  const { sub } = follow;
  const store = follow.stores.get(frame.sub);
  if ("reset" in frame) tell({ sub, store, event: "events.reset", data: { last_seq: frame.reset.last_seq } }, done);
  else if ("ended" in frame) {
    follow.stores.delete(frame.sub);
    tell({ sub, store, event: "events.ended", data: { code: frame.ended.code, message: frame.ended.message } }, done);
  } else {
    const events = frame.events.filter((event) => store !== SESSIONS || isWanted(follow, event));
    for (const [at, event] of events.entries()) tell({ sub, ...event }, at === events.length - 1 ? done : undefined);
    if (events.length === 0) done();
  }
}

const isWanted = ({ sessions }: Follow, { session_id }: WireEvent): boolean =>
  sessions === undefined || (session_id !== undefined && sessions.has(session_id));
