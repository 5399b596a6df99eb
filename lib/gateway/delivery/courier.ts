import type { Store } from "../../../storage/store.js";
import { type NewOutboxRow, sendsOfKeys } from "../../../storage/tables/gateway/outbox.js";
import { AppError, toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { Ms } from "../../base/units.js";
import type { ChatOrigin } from "../../contracts/board/notify.js";
import { PLATFORM_TAGS, type PlatformTag } from "../../contracts/board/platform-tag.js";
import type { NamedFiles, Parcel, RefusedFile } from "../../contracts/gateway/courier.js";
import type { OutboxRow } from "../../contracts/gateway/outbox.js";
import { type Capabilities, capsOf } from "../../contracts/gateway/platform-traits.js";
import type { FoundTargets, HomeChannel, KnownChat, TargetPlace } from "../../contracts/gateway/targets.js";
import type { Outbox } from "../outbox/outbox.js";
import type { SettingsSource } from "../settings/platform-settings.js";
import type { Directory } from "../targets/directory.js";
import { homeOf, readHomeChannels } from "../targets/home-channels.js";
import { findTargets, splitTargets, type TargetBook, toPlatformTag } from "../targets/resolve-targets.js";
import { cutLong, toParcelSends } from "./message-pieces.js";
import { createMirror, type Mirror, type MirrorConversations } from "./mirror.js";

/** Rows that are not stored yet. */
export interface SendDraft {
  readonly rows: readonly NewOutboxRow[];
  /** Files that the text named and that are not sent. */
  readonly refused: readonly RefusedFile[];
}

/** Puts messages that do not answer another one into the outbox, and reports their outcome. */
export interface Courier {
  /** @throws E_INVALID, E_NOT_FOUND, E_AMBIGUOUS */
  find(targets: string, origin?: ChatOrigin): Promise<FoundTargets>;
  /** The parts of a list, so that one that is wrong does not keep the others from being found. */
  split(targets: string): readonly string[];
  homes(): readonly HomeChannel[];
  /** Whether messages of this platform can be sent at all. */
  isSetUp(platform: string): Promise<boolean>;
  /** Chats by name, of one platform or of all. */
  channels(platform?: PlatformTag): Promise<readonly KnownChat[]>;
  /** @throws E_INVALID when the platform is not set up */
  draft(to: TargetPlace, parcel: Parcel): Promise<SendDraft>;
  /** Store drafts. @returns the rows that lie under their keys now, those of an earlier time among them */
  put(rows: readonly NewOutboxRow[]): Promise<readonly OutboxRow[]>;
  /** Say that drafts were stored in a commit of one's own. */
  wake(): void;
  /**
   * Wait until every row of these has an end, at most `limit`. Where no gateway runs in this process the rows are sent from here meanwhile.
   *
   * @returns the rows as they are then
   */
  settled(ids: readonly string[], limit: Ms, signal: AbortSignal): Promise<readonly OutboxRow[]>;
  /** Adds what was sent to the conversation of its chat. */
  readonly mirror: Mirror;
}

/** Sends what waits for these platforms as long as the work takes. `stuck` aborts, with the reason, when none of them can be used. */
export type SendDuring = <T>(
  platforms: ReadonlySet<PlatformTag>,
  work: (stuck: AbortSignal) => Promise<T>,
) => Promise<T>;

export interface CourierDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly source: SettingsSource;
  /** That of the gateway where one runs in this process. */
  readonly outbox: () => Outbox;
  readonly directory: () => Directory;
  readonly aliases: () => Readonly<Record<string, string>>;
  /** The bot identity of a platform; undefined: it is not set up. */
  readonly account: (platform: PlatformTag) => Promise<string | undefined>;
  readonly filesOf: (text: string, writer: Pick<Parcel, "view" | "lineage">) => Promise<NamedFiles>;
  /** Keeps a text that is too long for its target. @returns the path */
  readonly keep: (text: string) => Promise<string>;
  readonly conversations: MirrorConversations;
  /** Undefined: the gateway of this process sends. */
  readonly sending: () => SendDuring | undefined;
}

export function createCourier(deps: CourierDeps): Courier {
  const { source, aliases, directory, store, outbox } = deps;
  const book = (origin?: ChatOrigin): TargetBook => ({
    aliases,
    home: (platform) => homeOf(platform, source),
    homes: () => readHomeChannels(source),
    channels: (platform) => directory().of(platform),
    origin: placeOf(origin),
  });
  return {
    find: (text, origin) => findTargets(text, book(origin)),
    split: (text) => splitTargets(text, aliases()),
    homes: () => readHomeChannels(source),
    isSetUp: async (platform) => {
      const tag = toPlatformTag(platform);
      return tag !== undefined && (await deps.account(tag)) !== undefined;
    },
    channels: async (platform) => {
      const tags = platform === undefined ? PLATFORM_TAGS : [platform];
      return (await Promise.all(tags.map((tag) => directory().of(tag)))).flat();
    },
    draft: (to, parcel) => draft(deps, to, parcel),
    put: async (rows) => {
      await outbox().put(rows);
      return store.read((q) =>
        sendsOfKeys(
          q,
          rows.flatMap(({ source_key }) => source_key ?? []),
        ),
      );
    },
    wake: () => outbox().wake(),
    settled: (ids, limit, signal) => settled(deps, ids, { limit, signal }),
    mirror: createMirror(deps),
  };
}

function placeOf(origin: ChatOrigin | undefined): TargetPlace | undefined {
  const platform = origin && toPlatformTag(origin.platform);
  return origin && platform && { platform, chatId: origin.chat_id, threadId: origin.thread_id || null };
}

async function draft(deps: CourierDeps, to: TargetPlace, parcel: Parcel): Promise<SendDraft> {
  const { platform, chatId, threadId } = to;
  const account = await deps.account(platform);
  if (account === undefined) {
    const hint = `agent gateway setup ${platform} asks for what it needs`;
    throw new AppError("E_INVALID", `${platform} is not set up: nothing can be sent there`, { platform, hint });
  }
  const named =
    parcel.format === "markdown"
      ? await deps.filesOf(parcel.text, parcel)
      : { text: parcel.text, files: [], refused: [] };
  const caps: Capabilities = capsOf(platform);
  const text = caps.splits === false ? await cutLong(named.text, deps.keep) : named.text;
  const whole = { ...parcel, text, files: [...named.files, ...(parcel.files ?? [])] };
  const sends = toParcelSends({ platform, account, chatId, threadId, replyTo: null }, whole);
  return { rows: deps.outbox().drafts(sends), refused: named.refused };
}

interface Waiting {
  readonly limit: Ms;
  readonly signal: AbortSignal;
}

async function settled(deps: CourierDeps, ids: readonly string[], waiting: Waiting): Promise<readonly OutboxRow[]> {
  const now = () => rowsOf(deps, ids);
  const rows = await now();
  if (rows.every(isOver)) return rows;
  const sending = deps.sending();
  if (sending === undefined) return ended(deps, now, waiting);
  const tags = new Set(rows.flatMap(({ platform }) => toPlatformTag(platform) ?? []));
  return sending(tags, async (stuck) => {
    const last = await ended(deps, now, { ...waiting, signal: AbortSignal.any([waiting.signal, stuck]) });
    return stuck.aborted ? last.map((row) => withReason(row, toAppError(stuck.reason).message)) : last;
  });
}

/** A row that waits without an error of its own waits for its platform. */
const withReason = (row: OutboxRow, reason: string): OutboxRow =>
  row.state === "pending" && row.error === null ? { ...row, error: reason } : row;

const isOver = ({ state }: OutboxRow): boolean => state !== "pending" && state !== "sending";

async function rowsOf({ outbox }: CourierDeps, ids: readonly string[]): Promise<readonly OutboxRow[]> {
  return (await Promise.all(ids.map((id) => outbox().get(id)))).flatMap((row) => row ?? []);
}

async function ended(
  { outbox, clock }: CourierDeps,
  now: () => Promise<readonly OutboxRow[]>,
  { limit, signal }: Waiting,
): Promise<readonly OutboxRow[]> {
  let look: () => void = () => undefined;
  const over = new Promise<void>((resolve, reject) => {
    look = () => void now().then((rows) => rows.every(isOver) && resolve(), reject);
    signal.addEventListener("abort", () => resolve(), { once: true });
  });
  const unwatch = outbox().onEnd(look);
  look();
  try {
    if (!signal.aborted) await settlesWithin(clock, limit, over);
    return await now();
  } finally {
    unwatch();
  }
}
