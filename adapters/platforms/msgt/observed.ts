import type { Inbound } from "../../../lib/contracts/board/platform-tag.js";
import { audienceOf, textOf, threadOf } from "./groups.js";
import type { GroupSettings } from "./settings.js";
import type { Me, Update } from "./wire.js";

/** What people say to each other in groups, until the bot is spoken to (gateway part, 16.1.5, rule 10). */
export interface Observed {
  /** Note an update. @returns what was said before it in its chat and topic since the bot was last spoken to; undefined: nothing, or it is not for the bot */
  see(
    update: Update,
    event: Inbound | undefined,
    how: { readonly me: Me; readonly rules: GroupSettings },
  ): string | undefined;
}

/** Messages of one chat and topic that are kept, and of how many of those. */
const MESSAGES = 50;
const PLACES = 200;
/** Of all texts together; the oldest are left out. */
const CHARS = 16_000;

interface Said {
  readonly id: number;
  /** Undefined: here the bot was spoken to. */
  readonly text: string | undefined;
}

/**
 * Kept in memory alone: who does not speak to the bot does not expect to be stored. What a poll brings again, because it could not be stored, is seen
 * again with the same outcome: updates differ by their numbers, and nothing is taken out.
 */
export function createObserved(): Observed {
  const places = new Map<string, readonly Said[]>();
  const add = (place: string, said: Said) => {
    const known = places.get(place) ?? [];
    places.delete(place); // the place where something happened last is the last to go
    places.set(place, known.some(({ id }) => id === said.id) ? known : [...known, said].slice(-MESSAGES));
    for (const oldest of [...places.keys()].slice(0, Math.max(0, places.size - PLACES))) places.delete(oldest);
  };
  return {
    see: (update, event, { me, rules }) => {
      const message = update.message ?? update.channel_post;
      if (message === undefined || message.chat.type === "private" || message.from?.id === me.id) return undefined;
      const place = `${message.chat.id}:${threadOf(message)}`;
      if (event === undefined) {
        const text = textOf(message);
        if (text === "" || audienceOf(message, me, rules) !== "others") return undefined;
        add(place, { id: update.update_id, text: `[${nameOf(message)}]\n${text}` });
        return undefined;
      }
      const before = (places.get(place) ?? []).filter(({ id }) => id < update.update_id);
      const since = before.slice(before.findLastIndex(({ text }) => text === undefined) + 1);
      add(place, { id: update.update_id, text: undefined });
      return contextOf(since.flatMap(({ text }) => text ?? []));
    },
  };
}

type Message = NonNullable<Update["message"]>;

function nameOf({ from, sender_chat: chat }: Message): string {
  if (chat !== undefined) return `${chat.title ?? chat.username ?? "chat"}|${chat.id}`;
  const name = [from?.first_name, from?.last_name].filter(Boolean).join(" ") || from?.username || "unknown";
  return `${name}|${from?.id ?? "unknown"}`;
}

function contextOf(texts: readonly string[]): string | undefined {
  let left = CHARS;
  const kept = texts.toReversed().filter((text) => {
    left -= text.length;
    return left >= 0;
  });
  return kept.length === 0 ? undefined : ["[Recent group messages]", ...kept.toReversed()].join("\n");
}
