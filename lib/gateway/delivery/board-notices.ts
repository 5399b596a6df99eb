import type { Store } from "../../../storage/store.js";
import { sendsOfKeys } from "../../../storage/tables/gateway/outbox.js";
import { aborted } from "../../base/async/aborted.js";
import type { Notice, NoticeOutcome, Notifier, PlatformReach } from "../../contracts/board/notifier.js";
import type { NewSend, OutboxRow } from "../../contracts/gateway/outbox.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import type { Outbound } from "../media/outbound-media.js";
import type { Gateway } from "../router/gateway.js";
import { toPlatformTag } from "../targets/resolve-targets.js";
import { bringsFiles, inPlaceOf, toParcelSends } from "./message-pieces.js";

export interface NotifierDeps {
  /** The gateway of this process while one runs. */
  readonly live: () => Pick<Gateway, "outbox" | "supervisor"> | undefined;
  readonly store: () => Promise<Store>;
  /** Profile whose gateway that is. */
  readonly profile: string;
  readonly files: () => Pick<Outbound, "take">;
  /** Called when a gateway is there or gone, or one of its platforms. */
  readonly onChange: Notifier["onChange"];
}

const FILE_BYTES = 20 << 20;

/**
 * Takes messages of the board's ledger over into the outbox, under a key that makes a second time harmless. What the ledger learns is what the
 * outbox stored about them.
 */
export function createNotifier(deps: NotifierDeps): Notifier {
  return {
    reach: ({ platform, profile }) =>
      profile !== null && profile !== deps.profile ? undefined : reachOf(deps, platform),
    hand: (notice, signal) => hand(deps, notice, signal),
    // Handing it over again finds what there is of it.
    recall: async () => ({ result: "never" }),
    onChange: deps.onChange,
  };
}

function reachOf({ live }: NotifierDeps, platform: string): PlatformReach | undefined {
  const connected =
    live()
      ?.supervisor.connected()
      .some(({ tag }) => tag === platform) === true;
  return connected ? { replies: traitsOf(platform).quotes, fileBytes: FILE_BYTES } : undefined;
}

async function hand(deps: NotifierDeps, notice: Notice, signal: AbortSignal): Promise<NoticeOutcome> {
  const tag = toPlatformTag(notice.platform);
  const platform = deps
    .live()
    ?.supervisor.connected()
    .find((one) => one.tag === tag);
  if (tag === undefined || platform === undefined)
    return { result: "failed", error: `${notice.platform} is not connected` };
  const { chat_id: chatId, thread_id } = notice;
  const target = { platform: tag, account: platform.account, chatId, threadId: thread_id || null, replyTo: null };
  const brings = bringsFiles(tag);
  const text = brings ? notice.text : `${notice.text.trim()}\n\n${inPlaceOf(notice.files.length)}`;
  const parcel = { kind: "board", text, format: "plain", key: noticeKey(notice) } as const;
  let first: string | null | undefined;
  for (const send of toParcelSends(target, parcel)) {
    const told = await deliver(deps, send, signal);
    if (told.result !== "accepted") return told;
    first = first === undefined ? told.message_id : first;
  }
  for (const file of brings ? notice.files : []) {
    const told = await deliverFile(deps, { notice, target, file }, signal);
    if (told.result !== "accepted") return told;
  }
  return { result: "accepted", message_id: first ?? null };
}

interface OneFile {
  readonly notice: Notice;
  readonly target: NewSend["target"];
  readonly file: Notice["files"][number];
}

/** A file that may not leave, or is gone, does not stop the notice: it is named in the log alone. */
async function deliverFile(
  deps: NotifierDeps,
  { notice, target, file }: OneFile,
  signal: AbortSignal,
): Promise<NoticeOutcome> {
  const sourceKey = `${noticeKey(notice)}:file:${file.id}`;
  const known = await (await deps.store()).read((q) => sendsOfKeys(q, [sourceKey]));
  const taken = known.length > 0 ? { file: undefined } : await deps.files().take(file.path);
  if ("refused" in taken) return { result: "accepted", message_id: null };
  const shown = taken.file && { ...taken.file, name: file.filename };
  const payload = {
    text: "",
    format: "plain",
    silent: false,
    ...(shown === undefined ? {} : { file: shown }),
  } as const;
  return deliver(deps, { kind: "board", target, payload, sourceKey }, signal);
}

/** One message: what is there of it is what counts; what certainly failed is tried once more. */
async function deliver(deps: NotifierDeps, send: NewSend, signal: AbortSignal): Promise<NoticeOutcome> {
  const store = await deps.store();
  const outbox = deps.live()?.outbox;
  if (outbox === undefined) return { result: "failed", error: "no gateway is running" };
  const find = async () => (await store.read((q) => sendsOfKeys(q, [send.sourceKey ?? ""])))[0];
  const before = await find();
  if (before?.state === "failed") await outbox.retry(before.id);
  else if (before === undefined) await outbox.insert([send]);
  const row = await over(find, outbox, signal);
  return row === undefined ? { result: "failed", error: "it is no longer in the outbox" } : outcomeOf(row);
}

async function over(
  find: () => Promise<OutboxRow | undefined>,
  { onEnd }: Pick<Gateway["outbox"], "onEnd">,
  signal: AbortSignal,
): Promise<OutboxRow | undefined> {
  let look: () => void = () => undefined;
  const ended = new Promise<OutboxRow | undefined>((resolve, reject) => {
    look = () =>
      void find().then(
        (row) => (row?.state === "pending" || row?.state === "sending" ? undefined : resolve(row)),
        reject,
      );
  });
  const unwatch = onEnd(look);
  look();
  try {
    return await Promise.race([ended, aborted(signal).then(() => undefined)]);
  } finally {
    unwatch();
  }
}

function outcomeOf(row: OutboxRow): NoticeOutcome {
  switch (row.state) {
    case "sent":
      return { result: "accepted", message_id: row.platform_message_id };
    case "failed":
      return {
        result: "failed",
        error: row.error ?? "it was not sent",
        retry_at: Math.ceil(row.next_attempt_at / 1000),
      };
    case "dropped":
      return { result: "unknown", error: "it was dropped by an operator" };
    default:
      return { result: "unknown", error: row.error ?? "delivery unknown" };
  }
}

/** Names a notice for good; it holds the task, for an answer to it. */
const noticeKey = ({ board, subscription, event, task }: Notice): string =>
  `board/${board}/${subscription}/${event}/${task ?? ""}`;

/** Board and task of a stored key; undefined: it names no task. */
export function taskIn(key: string): { readonly board: string; readonly task: string } | undefined {
  const [, board = "", , , rest = ""] = key.split("/");
  const task = rest.split(":")[0] ?? "";
  return task === "" ? undefined : { board, task };
}
