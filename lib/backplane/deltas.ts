import type { LiveDelta } from "./bus.js";

/** Deltas that wait for a slow client. Texts are joined, everything else is replaced by the newest; so the size is bounded by the topics. */
export interface PendingDeltas {
  add(topic: string, delta: LiveDelta): void;
  /** Everything that waits, oldest first, and forget it. */
  take(): readonly { topic: string; delta: LiveDelta }[];
  readonly size: number;
}

/** Joined text above which the older half is dropped; the final message brings the whole. UTF-16 units. */
const TEXT_MAX = 256 << 10;
/** Different deltas that wait for one client. Above, the oldest is dropped. */
const PENDING_MAX = 512;

/** Kinds whose `data.text` is a piece of a longer text. */
const JOINED = new Set(["text.delta", "reasoning.delta", "tool.progress", "log.lines"]);

/** Nothing pending yet. */
export function createPendingDeltas(): PendingDeltas {
  let pending = new Map<string, { topic: string; delta: LiveDelta }>();
  return {
    get size() {
      return pending.size;
    },
    add: (topic, delta) => {
      if (delta.event === "text.reset") dropTexts(pending, topic);
      const key = keyOf(topic, delta);
      const waiting = pending.get(key);
      const joined = waiting !== undefined && JOINED.has(delta.event) && continues(waiting.delta, delta);
      if (!joined) pending.delete(key); // the newest stands last
      pending.set(key, { topic, delta: joined ? join(waiting.delta, delta) : delta });
      if (pending.size > PENDING_MAX) for (const oldest of [...pending.keys()].slice(0, 1)) pending.delete(oldest);
    },
    take: () => {
      const all = [...pending.values()];
      pending = new Map();
      return all;
    },
  };
}

function keyOf(topic: string, delta: LiveDelta): string {
  // What a delta is about: a call of a tool, a row of a list.
  const part = delta.data["call_id"] ?? delta.data["id"];
  return [topic, delta.event, delta.turn_id ?? "", typeof part === "string" ? part : ""].join("\n");
}

function dropTexts(pending: Map<string, { topic: string; delta: LiveDelta }>, topic: string): void {
  for (const [key, value] of pending) {
    if (value.topic === topic && (value.delta.event === "text.delta" || value.delta.event === "reasoning.delta"))
      pending.delete(key);
  }
}

/** Whether a piece is the next one of its text. Where another answer begins, that of before is stored whole. */
function continues(older: LiveDelta, newer: LiveDelta): boolean {
  const { offset } = newer.data;
  return typeof offset !== "number" || Number(older.data["offset"]) + textOf(older).length === offset;
}

function join(older: LiveDelta, newer: LiveDelta): LiveDelta {
  const whole = `${textOf(older)}${textOf(newer)}`;
  const cut = whole.length > TEXT_MAX;
  const text = cut ? whole.slice(-TEXT_MAX / 2) : whole;
  const { offset } = newer.data;
  // The offset is that of the first character.
  const place = typeof offset === "number" ? { offset: offset + textOf(newer).length - text.length } : {};
  return { ...newer, data: { ...older.data, ...newer.data, ...place, text, ...(cut ? { cut: true } : {}) } };
}

function textOf(delta: LiveDelta): string {
  const text = delta.data["text"];
  return typeof text === "string" ? text : "";
}
