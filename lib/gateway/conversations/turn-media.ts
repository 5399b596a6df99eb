import { homedir } from "node:os";
import { basename, join } from "node:path";
import { autocommit } from "../../../storage/alone.js";
import type { Store } from "../../../storage/store.js";
import { addNotes, takeNotes } from "../../../storage/tables/gateway/notes.js";
import type { Clock } from "../../base/time/clock.js";
import { settlesWithin } from "../../base/time/settles-within.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Inbound, PlatformTag } from "../../contracts/board/platform-tag.js";
import type { TurnResult } from "../../contracts/chat/chat.js";
import type { NamedFiles } from "../../contracts/gateway/courier.js";
import type { InboxTurnEnd, NewSend, SendTarget } from "../../contracts/gateway/outbox.js";
import type { Platform } from "../../contracts/gateway/platform.js";
import type { AdapterSupervisor } from "../adapter/adapter-supervisor.js";
import { chatMark } from "../media/chat-mark.js";
import { fetchPicture } from "../media/fetch-picture.js";
import { createOutbound, type Outbound } from "../media/outbound-media.js";
import { type Received, receiveMedia } from "../media/receive-media.js";
import { transcriberOf } from "../media/transcriber.js";
import { laneOf } from "../outbox/send-lanes.js";
import type { Gateway } from "../router/gateway.js";
import { MEDIA } from "../settings/media-keys.js";
import { keyRulesOf } from "../settings/session-key-rules.js";
import { toSendTarget } from "../targets/event-target.js";
import { originOf } from "./conversations.js";
import { limitsOf } from "./turn-reach.js";

/** Files that leave this home. */
export function outboundOf(options: AppOptions): Outbound {
  const { home, config, env, clock, ids, log, net } = options;
  return createOutbound({
    folder: join(home.cache, "outgoing"),
    ids,
    log: log.child("gateway"),
    picture: (url) => fetchPicture(net, url),
    scope: () => ({
      home,
      env,
      userHome: env["HOME"] ?? homedir(),
      strict: config.get(MEDIA.strict),
      now: clock.now,
      allowDirs: config
        .get(MEDIA.allowDirs)
        .split(/[:,]/)
        .flatMap((dir) => (dir.trim() === "" ? [] : [dir.trim()])),
    }),
  });
}

/** What the model of a chat's next turn has to know. */
export interface ChatNotes {
  refused(target: SendTarget, files: NamedFiles["refused"]): Promise<void>;
  take(target: SendTarget): Promise<readonly string[]>;
}

function chatNotes(store: Store, now: () => number): ChatNotes {
  return {
    refused: async (target, files) => {
      if (files.length === 0) return;
      const lines = files.map(({ path, reason }) => `[The file ${path} was not sent: ${reason}.]`);
      const at = now();
      await store.write("gateway.note", (tx) => addNotes(tx, laneOf(target), lines, at));
    },
    take: (target) => takeNotes(autocommit(store, "gateway.notes"), laneOf(target)),
  };
}

/** The end of a turn with the files of its answer, each a message after its text. */
export function withFiles(
  turn: string,
  event: Inbound,
  end: InboxTurnEnd,
  { files }: Pick<NamedFiles, "files">,
): InboxTurnEnd {
  const target = toSendTarget(event);
  if (target === undefined || files.length === 0) return end;
  const first = end.sends.length;
  const { userId } = event.source;
  // Where files are uploaded in the name of a user, it is the one whose message is answered.
  const uploader = userId === null ? {} : { extra: { user: userId } };
  const sends = files.map(
    (file, n): NewSend => ({
      kind: "answer",
      target: first + n === 0 ? target : { ...target, replyTo: null },
      payload: { text: "", format: "plain", silent: false, file, ...uploader },
      turn: { id: turn, seq: first + n },
      sourceKey: `turn:${turn}:file:${n}`,
    }),
  );
  return { ...end, sends: [...end.sends, ...sends] };
}

/** Longest wait for an adapter that is not connected yet after a start. */
const CONNECT_MS = 30_000;

export interface TurnAnswer {
  readonly turn: string;
  readonly event: Inbound;
  readonly result: TurnResult;
  /** A part of it was shown while it was written: that is not read as another text now. */
  readonly streamed: boolean;
}

/** Files of turns: what came with their messages, and what their answers name. */
export interface TurnMedia {
  /** What stands before the text of a message: what it answers, and its files. The chat is shown once what was heard in recordings. */
  received(event: Inbound, signal: AbortSignal): Promise<Pick<Received, "lines" | "pictures">>;
  /** A line for the model besides, once. */
  notes(target: SendTarget): Promise<readonly string[]>;
  /** The end of a turn, with the files of its answer. `end` makes it of the text that is left. */
  end(answer: TurnAnswer, end: (result: TurnResult) => InboxTurnEnd): Promise<InboxTurnEnd>;
}

export function turnMedia(
  options: AppOptions,
  store: Store,
  gateway: () => Pick<Gateway, "supervisor" | "outbox">,
): TurnMedia {
  const { home, clock, ids } = options;
  const outbound = outboundOf(options);
  const notes = chatNotes(store, clock.now);
  const platform = (tag: PlatformTag) => reached(gateway().supervisor, clock, tag);
  return {
    received: async (event, signal) => {
      const transcriber = transcriberOf(options);
      const transcribe = transcriber && ((path: string, ended: AbortSignal) => transcriber.transcribe(path, ended));
      const mark = chatMark(event, keyRulesOf(options.config));
      const deps = {
        cache: home.cache,
        mark,
        clock,
        ids,
        platform,
        ...(transcribe === undefined ? {} : { transcribe }),
      };
      const { lines, pictures, heard } = await receiveMedia(deps, event, signal);
      signal.throwIfAborted();
      await gateway().outbox.insert(echoes(event, heard));
      return {
        lines: [...(event.replyToText === null ? [] : [`[Replying to: "${event.replyToText}"]`]), ...lines],
        pictures,
      };
    },
    notes: (target) => notes.take(target),
    end: async ({ turn, event, result, streamed }, end) => {
      if (result.failed || result.error !== undefined || result.interrupted) return end(result);
      const named = await outbound.named(result.final_response, {
        keepsPaths: streamed,
        view: limitsOf(options, originOf(event))?.home,
        tmp: await options.cages?.privateTmp(result.lineage_root),
      });
      const target = toSendTarget(event);
      if (target !== undefined) await notes.refused(target, named.refused);
      if (named.text.trim() !== "" || named.files.length + named.refused.length === 0) {
        return withFiles(turn, event, end({ ...result, final_response: named.text }), named);
      }
      if (named.files.length > 0) return withFiles(turn, event, { state: "answered", reason: null, sends: [] }, named);
      const told = named.refused.map(({ path, reason }) => `⚠️ ${basename(path)} was not sent: ${reason}.`).join("\n");
      return end({ ...result, final_response: told });
    },
  };
}

/** What was heard, for who said it; once for a message, however often it is worked on. */
function echoes(event: Inbound, heard: readonly string[]): readonly NewSend[] {
  const target = toSendTarget(event);
  if (target === undefined) return [];
  return heard.map((words, n) => ({
    kind: "notice",
    target,
    payload: { text: `🎙️ "${words}"`, format: "plain", silent: true },
    sourceKey: `heard:${event.platform}:${event.account}:${event.eventId}:${n}`,
  }));
}

/** The adapter of a platform, when it is connected or soon will be. */
export async function reached(
  supervisor: Pick<AdapterSupervisor, "connected" | "statuses" | "onChange">,
  clock: Clock,
  tag: PlatformTag,
): Promise<Platform | undefined> {
  const find = () => supervisor.connected().find((one) => one.tag === tag);
  if (find() !== undefined || !supervisor.statuses().some((one) => one.tag === tag)) return find();
  let unwatch: () => void = () => undefined;
  const there = new Promise<void>((resolve) => {
    unwatch = supervisor.onChange(() => {
      if (find() !== undefined) resolve();
    });
  });
  await settlesWithin(clock, CONNECT_MS, there);
  unwatch();
  return find();
}
