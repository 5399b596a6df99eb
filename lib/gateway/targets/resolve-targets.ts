import { AppError } from "../../base/errors.js";
import { PLATFORM_TAGS, type PlatformTag } from "../../contracts/board/platform-tag.js";
import type {
  FoundTarget,
  FoundTargets,
  HomeChannel,
  KnownChat,
  TargetPlace,
} from "../../contracts/gateway/targets.js";
import { describeAddress, parseAddress, writeAddress } from "./addresses.js";
import { variable } from "./home-channels.js";

/** What names in targets are looked up in. */
export interface TargetBook {
  home(platform: PlatformTag): HomeChannel | undefined;
  /** Every home channel, by tag. */
  homes(): readonly HomeChannel[];
  /** `gateway.channel_aliases`. */
  aliases(): Readonly<Record<string, string>>;
  /** Chats that are known by name. */
  channels(platform: PlatformTag): Promise<readonly KnownChat[]>;
  /** Where the one who asks talks; undefined outside of chats. */
  readonly origin?: TargetPlace | undefined;
}

const KEYWORDS: ReadonlySet<string> = new Set(["local", "origin", "all"]);

/** A target that no platform is named in. */
export const isKeyword = (target: string): boolean => KEYWORDS.has(target.toLowerCase());
const ALIAS_DEPTH = 5;

export const TARGET_FORMS = `local, origin, all, a platform (${PLATFORM_TAGS.join(", ")}) for its home channel, or <platform>:<chat>`;

/** The parts of a target list. A comma separates only where the next part begins with a platform, a keyword or an alias. */
export function splitTargets(text: string, aliases: Readonly<Record<string, string>> = {}): readonly string[] {
  const parts: string[] = [];
  for (const piece of text.split(",")) {
    const last = parts.at(-1);
    if (last === undefined || begins(piece, aliases)) parts.push(piece);
    else parts[parts.length - 1] = `${last},${piece}`;
  }
  return parts.map((part) => part.trim()).filter((part) => part !== "");
}

function begins(piece: string, aliases: Readonly<Record<string, string>>): boolean {
  const text = piece.trim();
  const colon = text.indexOf(":");
  const head = (colon < 0 ? text : text.slice(0, colon)).toLowerCase();
  return isKeyword(text) || toPlatformTag(head) !== undefined || Object.hasOwn(aliases, text);
}

/**
 * What a target list names.
 *
 * @throws E_INVALID for a form that does not exist or a platform without a home channel, E_NOT_FOUND for an unknown name, E_AMBIGUOUS with
 * `data.candidates` for one that several have
 */
export async function findTargets(text: string, book: TargetBook): Promise<FoundTargets> {
  const aliases = book.aliases();
  const places = new Map<string, FoundTarget>();
  let local = false;
  for (const part of splitTargets(text, aliases)) {
    if (part.toLowerCase() === "local") local = true;
    else
      for (const found of await findOne(part, book, 0)) if (!places.has(keyOf(found))) places.set(keyOf(found), found);
  }
  if (!local && places.size === 0) throw invalid(`invalid target ${JSON.stringify(text)}`, `forms: ${TARGET_FORMS}`);
  return { local, places: [...places.values()] };
}

const keyOf = ({ platform, chatId, threadId }: TargetPlace): string => JSON.stringify([platform, chatId, threadId]);

async function findOne(part: string, book: TargetBook, depth: number): Promise<readonly FoundTarget[]> {
  const word = part.toLowerCase();
  if (word === "all") return allHomes(book);
  if (word === "origin") return [originOf(book)];
  const colon = part.indexOf(":");
  const platform = toPlatformTag((colon < 0 ? part : part.slice(0, colon)).toLowerCase());
  if (platform === undefined) return viaAlias(part, part, book, depth);
  return colon < 0 ? [homeOr(platform, book)] : inPlatform(platform, part.slice(colon + 1).trim(), book, depth);
}

async function inPlatform(
  platform: PlatformTag,
  rest: string,
  book: TargetBook,
  depth: number,
): Promise<readonly FoundTarget[]> {
  if (rest === "") return [homeOr(platform, book)];
  const alias = Object.hasOwn(book.aliases(), rest);
  const named = alias ? undefined : parseAddress(platform, rest);
  if (named !== undefined) return [{ platform, ...named, home: false, explicitThread: named.threadId !== null }];
  if (alias)
    return (await viaAlias(rest, `${platform}:${rest}`, book, depth)).filter((found) => found.platform === platform);
  return [await byName(platform, rest, book)];
}

async function viaAlias(
  alias: string,
  asked: string,
  book: TargetBook,
  depth: number,
): Promise<readonly FoundTarget[]> {
  const aliases = book.aliases();
  const target = Object.hasOwn(aliases, alias) ? aliases[alias] : undefined;
  if (target === undefined) throw invalid(`unknown target ${JSON.stringify(asked)}`, `forms: ${TARGET_FORMS}`);
  if (depth >= ALIAS_DEPTH)
    throw invalid(`alias ${alias} is circular`, "change gateway.channel_aliases in config.yaml");
  const found: FoundTarget[] = [];
  for (const part of splitTargets(target, aliases)) found.push(...(await findOne(part, book, depth + 1)));
  return found;
}

async function byName(platform: PlatformTag, rest: string, book: TargetBook): Promise<FoundTarget> {
  const wanted = plain(rest);
  const matches = (await book.channels(platform)).filter(({ name }) => plain(name) === wanted);
  const [only, ...others] = matches;
  if (only === undefined) {
    const hint = `${describeAddress(platform)}; agent send --list shows the names that are known`;
    throw new AppError("E_NOT_FOUND", `unknown chat ${JSON.stringify(rest)} of ${platform}`, { target: rest, hint });
  }
  if (others.length > 0) throw ambiguous(platform, rest, matches);
  return {
    platform,
    chatId: only.chatId,
    threadId: only.threadId,
    home: false,
    explicitThread: only.threadId !== null,
  };
}

/** Names are the same whatever their case, their `#`, and how their letters are composed. */
const plain = (name: string): string => name.replace(/^#/, "").trim().normalize("NFC").toLowerCase();

function ambiguous(platform: PlatformTag, rest: string, matches: readonly KnownChat[]): AppError {
  const candidates = matches.map(
    (one) => `${writeAddress(platform, one)} (${[one.name, one.type, one.guild].filter(Boolean).join(", ")})`,
  );
  const message = `${JSON.stringify(rest)} is ambiguous: ${matches.length} chats of ${platform}: ${candidates.join("; ")}`;
  return new AppError("E_AMBIGUOUS", message, { target: rest, candidates, hint: "use an id" });
}

function homeOr(platform: PlatformTag, book: TargetBook): FoundTarget {
  const home = book.home(platform);
  if (home === undefined) throw noHome(platform);
  return { platform, chatId: home.chatId, threadId: home.threadId, home: true, explicitThread: false };
}

/** A platform that is named alone has nowhere to send to. */
function noHome(platform: PlatformTag): AppError {
  const hint = `set ${variable(platform)} in .env, send /sethome in the chat, or name a chat: ${describeAddress(platform)}`;
  return new AppError("E_INVALID", `${platform} does not have a home channel: ${variable(platform)} is not set`, {
    platform,
    hint,
  });
}

function allHomes(book: TargetBook): readonly FoundTarget[] {
  const homes = book.homes();
  if (homes.length === 0)
    throw invalid(
      "no platform has a home channel",
      "run /sethome in a chat, or set one in .env, e.g. MSGT_HOME_CHANNEL",
    );
  return homes.map(({ platform, chatId, threadId }) => ({
    platform,
    chatId,
    threadId,
    home: true,
    explicitThread: false,
  }));
}

function originOf({ origin, homes }: TargetBook): FoundTarget {
  if (origin !== undefined) return { ...origin, home: false, explicitThread: origin.threadId !== null };
  const [first] = homes();
  if (first === undefined)
    throw invalid("origin: not created in a chat, and no platform has a home channel", `forms: ${TARGET_FORMS}`);
  return {
    platform: first.platform,
    chatId: first.chatId,
    threadId: first.threadId,
    home: true,
    explicitThread: false,
  };
}

export const toPlatformTag = (name: string): PlatformTag | undefined => PLATFORM_TAGS.find((tag) => tag === name);

const invalid = (message: string, hint: string): AppError => new AppError("E_INVALID", message, { hint });
