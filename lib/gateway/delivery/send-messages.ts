import { basename } from "node:path";
import { AppError } from "../../base/errors.js";
import type { Ids } from "../../base/ids.js";
import type { RefusedFile, SendFile } from "../../contracts/gateway/courier.js";
import type { KnownTarget, MessageState, MessagesApi, NewMessageTo, SentTo } from "../../contracts/gateway/messages.js";
import type { OutboxRow } from "../../contracts/gateway/outbox.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import type { FoundTarget, TargetPlace } from "../../contracts/gateway/targets.js";
import type { Outbound } from "../media/outbound-media.js";
import { writeAddress } from "../targets/addresses.js";
import type { Courier } from "./courier.js";

export interface MessagesDeps {
  readonly courier: Courier;
  readonly outbound: Outbound;
  readonly ids: Ids;
  readonly connected: () => readonly Platform[];
  /** Where the output of a job goes. */
  readonly jobPlaces: (job: string) => Promise<readonly TargetPlace[]>;
}

/** Sends what conversations and commands have for chats, and says what became of it. */
export function createMessages(deps: MessagesDeps): MessagesApi {
  return {
    send: async (message, signal) => {
      const { courier } = deps;
      const { places } = await courier.find(message.target, message.origin);
      if (places.length === 0)
        throw new AppError("E_INVALID", "local is not a chat; nothing sent", { hint: "use a chat as the target" });
      await refuseOwn(deps, message, places);
      const { files, refused } = await taken(deps, message);
      const text = [...(message.subject ? [`**${message.subject}**`] : []), message.text].join("\n\n");
      const name = deps.ids.hex(8);
      const sent: SentTo[] = [];
      const more: RefusedFile[] = [];
      for (const [n, place] of places.entries()) {
        const { view, lineage } = message;
        const parcel = {
          kind: "tool",
          text,
          format: "markdown",
          files,
          view,
          lineage,
          key: `tool:${name}:${n}`,
        } as const;
        const drafted = await courier.draft(place, parcel);
        if (drafted.rows.length === 0)
          throw new AppError("E_INVALID", "there is nothing to send", { hint: why([...refused, ...drafted.refused]) });
        const { session } = message;
        if (session !== undefined && (await courier.mirror.isConversation(place, session))) {
          courier.mirror.exempt(drafted.rows.map(({ id }) => id));
        }
        const rows = await courier.put(drafted.rows);
        more.push(...drafted.refused);
        const ended = await courier.settled(
          rows.map(({ id }) => id),
          message.wait,
          signal,
        );
        sent.push(await toldOf(courier, place, ended));
      }
      return { sent, refused: [...refused, ...more] };
    },
    targets: async () => {
      const homes = deps.courier.homes();
      const known = await deps.courier.channels();
      const named = new Set(homes.map((home) => writeAddress(home.platform, home)));
      return [
        ...homes.map(
          (home): KnownTarget => ({
            target: writeAddress(home.platform, home),
            name: home.name,
            type: "home",
            guild: null,
            home: true,
          }),
        ),
        ...known
          .map(
            (one): KnownTarget => ({
              target: writeAddress(one.platform, one),
              name: one.name,
              type: one.type,
              guild: one.guild ?? null,
              home: false,
            }),
          )
          .filter(({ target }) => !named.has(target)),
      ];
    },
    react: async ({ target, message_id, emoji, on, origin }, signal) => {
      const [place, ...others] = (await deps.courier.find(target, origin)).places;
      if (place === undefined || others.length > 0)
        throw new AppError("E_INVALID", "a reaction needs one chat", { hint: "name the chat of the message" });
      const platform = deps.connected().find(({ tag }) => tag === place.platform);
      const hint = "agent gateway status tells which platforms are connected";
      if (platform === undefined) throw new AppError("E_STATE", `${place.platform} is not connected`, { hint });
      if (platform.react === undefined)
        throw new AppError("E_STATE", `${place.platform} has no reactions`, { hint: "send a message instead" });
      const receipt = await platform.react(place.chatId, message_id, { emoji, on }, signal);
      if (receipt.result !== "sent")
        throw new AppError("E_STATE", `the reaction was not taken: ${receipt.error}`, {
          hint: "look at message_id and emoji",
        });
    },
  };
}

const why = (refused: readonly RefusedFile[]): string =>
  refused.length === 0
    ? "give a text or a file"
    : refused.map(({ path, reason }) => `${basename(path)}: ${reason}`).join("; ");

async function refuseOwn(
  { jobPlaces }: MessagesDeps,
  { job }: NewMessageTo,
  places: readonly TargetPlace[],
): Promise<void> {
  if (job === undefined) return;
  const own = new Set((await jobPlaces(job)).map(keyOf));
  const found = places.find((place) => own.has(keyOf(place)));
  if (found === undefined) return;
  const hint = "its last message is delivered there by itself";
  throw new AppError("E_FORBIDDEN", `this job delivers to ${writeAddress(found.platform, found)} already`, { hint });
}

const keyOf = ({ platform, chatId, threadId }: TargetPlace): string => JSON.stringify([platform, chatId, threadId]);

async function taken({ outbound }: MessagesDeps, { files = [] }: NewMessageTo) {
  const found: SendFile[] = [];
  const refused: RefusedFile[] = [];
  for (const path of files) {
    const got = await outbound.take(path);
    if ("file" in got) found.push(got.file);
    else refused.push(got.refused);
  }
  return { files: found, refused };
}

const RANKS: readonly (readonly [MessageState, readonly OutboxRow["state"][]])[] = [
  ["failed", ["failed", "dropped"]],
  ["unknown", ["unknown"]],
  ["pending", ["pending", "sending"]],
];

async function toldOf(courier: Courier, place: FoundTarget, rows: readonly OutboxRow[]): Promise<SentTo> {
  const found = RANKS.find(([, states]) => rows.some((row) => states.includes(row.state)));
  const state = found?.[0] ?? "sent";
  const error = rows.find((row) => found?.[1].includes(row.state))?.error ?? null;
  let mirrored = false;
  for (const row of rows) mirrored = (await courier.mirror.addUnlessBusy(row)) || mirrored;
  const message_id = rows.find((row) => row.platform_message_id !== null)?.platform_message_id ?? null;
  return {
    target: writeAddress(place.platform, place),
    state,
    message_id,
    rows: rows.map(({ id }) => id),
    error,
    mirrored,
    home: place.home,
  };
}
