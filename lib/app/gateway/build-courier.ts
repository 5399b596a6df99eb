import { join } from "node:path";
import { getJob } from "../../../storage/tables/cron/jobs.js";
import { makeDirectory, writeAtomic } from "../../base/fs/files.js";
import { type SessionId, toIso } from "../../base/units.js";
import type { AppOptions } from "../../config/app-options.js";
import type { PlatformTag } from "../../contracts/board/platform-tag.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { MessagesApi } from "../../contracts/gateway/messages.js";
import { outboundOf } from "../../gateway/conversations/turn-media.js";
import { findJobPlaces } from "../../gateway/cron/job-delivery.js";
import { jobOf } from "../../gateway/cron/job-view.js";
import { createNotifier } from "../../gateway/delivery/board-notices.js";
import type { BoardNotifier } from "../../gateway/delivery/board-notifier.js";
import { type Courier, createCourier, type SendDuring } from "../../gateway/delivery/courier.js";
import { isMirrored } from "../../gateway/delivery/mirror.js";
import { createMessages } from "../../gateway/delivery/send-messages.js";
import { whileSending } from "../../gateway/delivery/send-once.js";
import type { BuiltGateway } from "../../gateway/lifecycle/gateway-lifecycle.js";
import { createOutbox, type Outbox } from "../../gateway/outbox/outbox.js";
import { rulesOf } from "../../gateway/settings/configured-rules.js";
import { GATEWAY } from "../../gateway/settings/gateway-keys.js";
import { platformSettings, settingsSource } from "../../gateway/settings/platform-settings.js";
import { createDirectory, type Directory } from "../../gateway/targets/directory.js";
import type { Stores } from "../stores/stores.js";
import { createUnconnected } from "./send-only-adapters.js";

/** The courier of an app, and the gateway that sends for it while one runs. */
export interface Couriers {
  readonly courier: Courier;
  readonly messages: MessagesApi;
  /** A gateway runs in this process from now on. The returned function ends that. */
  attach(built: BuiltGateway): () => void;
  live(): BuiltGateway | undefined;
  readonly seen: Directory["seen"];
}

export interface CouriersDeps {
  readonly options: AppOptions;
  readonly stores: Stores;
  readonly chat: Pick<ChatApi, "mirror" | "isBusy" | "get">;
  readonly boardNotifier: BoardNotifier;
}

/** Loaded when a message is sent that does not answer another one, or a gateway starts. */
export async function buildCouriers({ options, stores, chat, boardNotifier }: CouriersDeps): Promise<Couriers> {
  const { clock, config, home } = options;
  const store = await stores.state();
  const log = options.log.child("gateway");
  const rules = rulesOf(options);
  const outbound = outboundOf(options);
  const unconnected = createUnconnected(options, store);
  let live: BuiltGateway | undefined;
  let own: Outbox | undefined;
  const outbox = () => {
    own ??= createOutbox({ ...options, store, rules });
    return live?.gateway.outbox ?? own;
  };
  const directory = createDirectory({ store, clock, log, connected: () => live?.gateway.supervisor.connected() ?? [] });
  const send: SendDuring = async (tags, work) => {
    const platforms = (await Promise.all([...tags].map((tag) => unconnected(tag)))).flatMap((one) => one ?? []);
    return whileSending(
      {
        store,
        clock,
        log,
        rules,
        platforms,
        outbox: outbox(),
        chance: Math.random,
      },
      work,
    );
  };
  const courier = createCourier({
    store,
    clock,
    log,
    outbox,
    source: settingsSource(options),
    directory: () => directory,
    aliases: () => aliasesOf(config.get(GATEWAY.aliases)),
    account: async (tag) =>
      live?.gateway.supervisor.statuses().find((one) => one.tag === tag)?.account ?? (await unconnected(tag))?.account,
    filesOf: async (text, { view, lineage }) =>
      outbound.named(text, { view, tmp: await options.cages?.privateTmp(lineage) }),
    keep: (text) =>
      keep(join(home.dir, "cache", "documents"), `out_${toIso(clock.now()).replaceAll(":", "-")}.md`, text),
    conversations: {
      mirror: (session, text, about) => chat.mirror(session, text, about),
      isBusy: (session) => chat.isBusy(session),
      isSame: async (one, other) => one === other || (await rootOf(chat, one)) === (await rootOf(chat, other)),
    },
    sending: () => (live === undefined ? send : undefined),
  });
  const messages = createMessages({
    courier,
    outbound,
    ids: options.ids,
    connected: () => live?.gateway.supervisor.connected() ?? [],
    jobPlaces: async (job) => {
      const row = await store.read((q) => getJob(q, job));
      const settings = (tag: PlatformTag) => platformSettings(tag, settingsSource(options));
      return row === undefined ? [] : (await findJobPlaces({ settings }, courier, jobOf(row))).places;
    },
  });
  return {
    courier,
    messages,
    live: () => live,
    seen: directory.seen,
    attach: (built) => {
      live = built;
      const unwatch = built.gateway.outbox.onEnd(
        (id, kind) => void (isMirrored({ kind }) && mirrorEnded(courier, built.gateway.outbox, id)),
      );
      const { supervisor } = built.gateway;
      const told = {
        live: () => built.gateway,
        store: () => stores.state(),
        profile: home.profile,
        files: () => outbound,
      };
      const withdraw = boardNotifier.attach(createNotifier({ ...told, onChange: supervisor.onChange }));
      return () => {
        unwatch();
        withdraw();
        if (live === built) live = undefined;
      };
    },
  };
}

/** Errors of the store are reported by the sender. */
async function mirrorEnded(courier: Courier, outbox: Outbox, id: string): Promise<void> {
  const row = await outbox.get(id).catch(() => undefined);
  if (row?.state === "sent") await courier.mirror.add(row);
}

/** The conversation of a segment; a session that is gone is a conversation of its own. */
const rootOf = async (chat: Pick<ChatApi, "get">, id: SessionId): Promise<SessionId> =>
  (await chat.get(id))?.lineage_root ?? id;

function aliasesOf(value: unknown): Readonly<Record<string, string>> {
  if (typeof value !== "object" || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, target]) => (typeof target === "string" ? [[name, target]] : [])),
  );
}

async function keep(folder: string, name: string, text: string): Promise<string> {
  await makeDirectory(folder, 0o700);
  const path = join(folder, name);
  await writeAtomic(path, text, 0o600);
  return path;
}
