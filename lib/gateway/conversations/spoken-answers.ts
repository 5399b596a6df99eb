import { basename } from "node:path";
import { defineService, type Service } from "../../base/async/service.js";
import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Inbound, InboxBatch } from "../../contracts/board/platform-tag.js";
import type { TurnResult } from "../../contracts/chat/chat.js";
import type { NewSend, SendTarget } from "../../contracts/gateway/outbox.js";
import { traitsOf } from "../../contracts/gateway/platform-traits.js";
import type { VoiceApi } from "../../contracts/media/voice.js";
import { eventOf } from "../inbox/batches.js";
import { toMediaKind } from "../media/file-kinds.js";
import { markersIn } from "../media/file-markers.js";
import type { Outbound } from "../media/outbound-media.js";
import type { Outbox } from "../outbox/outbox.js";
import { toSendTarget } from "../targets/event-target.js";
import { isSilentAnswer } from "../text/silent-answer.js";
import { originOf } from "./conversations.js";

export interface SpokenDeps {
  readonly voice: Pick<VoiceApi, "chatMode" | "speak">;
  readonly outbound: Pick<Outbound, "take">;
  readonly outbox: () => Pick<Outbox, "insert">;
  readonly log: Log;
}

/** Answers that are also spoken, in chats that asked for it with `/voice` (gateway part, 12.4). */
export interface SpokenAnswers {
  readonly service: Service;
  /** A turn ended with this answer. It is spoken once its text is stored: the text never waits for the voice. */
  ended(turn: string, batch: InboxBatch, result: TurnResult): Promise<void>;
  /** The text of the answer is stored. */
  stored(turn: string): void;
}

/** Turns whose texts are not stored yet; a turn whose text is never stored makes room for newer ones. */
const WAITING = 1_000;

interface Answer {
  readonly event: Inbound;
  readonly target: SendTarget;
  readonly text: string;
}

export function spokenAnswers(deps: SpokenDeps): SpokenAnswers {
  const waiting = new Map<string, Answer>();
  let run: (work: (signal: AbortSignal) => Promise<void>) => void = () => undefined;
  const service = defineService("gateway-spoken-answers", async (scope) => {
    run = (work) => scope.run(() => work(scope.signal));
    scope.onStop(() => {
      run = () => undefined; // the text is there; a voice that comes after a restart would be late
      waiting.clear();
    });
  });
  return {
    service,
    ended: async (turn, batch, result) => {
      // The answer itself does not suffer from settings of its voice that cannot be read.
      const answer = await toSpeak(deps, batch, result).catch((error: unknown) => {
        deps.log.warning("failed to read whether a chat wants to hear its answer", {
          error: toAppError(error).message,
        });
        return undefined;
      });
      if (answer === undefined) return;
      waiting.set(turn, answer);
      const [oldest] = waiting.keys();
      if (waiting.size > WAITING && oldest !== undefined) waiting.delete(oldest);
    },
    stored: (turn) => {
      const answer = waiting.get(turn);
      if (answer === undefined) return;
      waiting.delete(turn);
      run((signal) => spoken(deps, turn, answer, signal));
    },
  };
}

/** The answer of a turn, where its chat wants to hear it. */
async function toSpeak(
  { voice }: Pick<SpokenDeps, "voice">,
  batch: InboxBatch,
  { final_response: text, failed, interrupted, error }: TurnResult,
): Promise<Answer | undefined> {
  const events = batch.rows.flatMap((row) => eventOf(row) ?? []);
  const event = events.at(-1);
  const target = event && toSendTarget(event);
  if (event === undefined || target === undefined || failed || interrupted || error !== undefined) return undefined;
  if (isSilentAnswer(text) || text.trim() === "" || bringsSound(text)) return undefined;
  if (traitsOf(event.platform).spokenAnswers === "none") return undefined;
  const mode = await voice.chatMode(originOf(event));
  const wanted = mode === "tts" || (mode === "on" && events.some(isSpoken));
  return wanted ? { event, target, text } : undefined;
}

const isSpoken = ({ media }: Inbound): boolean => media.some(({ kind }) => kind === "voice" || kind === "audio");

/** The model has spoken by itself. */
const bringsSound = (text: string): boolean =>
  markersIn(text).markers.some(({ path }) => /^(?:audio|voice)$/.test(toMediaKind(path).kind));

async function spoken(deps: SpokenDeps, turn: string, answer: Answer, signal: AbortSignal): Promise<void> {
  const { voice, outbound, outbox, log } = deps;
  const { event, target, text } = answer;
  const form = traitsOf(event.platform).spokenAnswers;
  try {
    const made = await voice.speak(text, form === "none" ? undefined : form, signal);
    if (made === undefined) return;
    const taken = await outbound.take(made.path);
    if ("refused" in taken) throw new Error(`${basename(made.path)}: ${taken.refused.reason}`);
    const file = made.voice ? { ...taken.file, kind: "voice" as const } : taken.file;
    await outbox().insert([sendOf(answer, `turn:${turn}:voice`, { text: "", file })]);
  } catch (error) {
    if (signal.aborted) return;
    const { message } = toAppError(error);
    log.warning("failed to speak an answer", { platform: target.platform, error: message });
    await outbox()
      .insert([sendOf(answer, `turn:${turn}:voice`, { text: `🔇 The answer was not spoken: ${message}` })])
      .catch(() => undefined); // the log has it
  }
}

function sendOf(
  { event, target }: Answer,
  sourceKey: string,
  shown: Pick<NewSend["payload"], "text" | "file">,
): NewSend {
  const { userId } = event.source;
  // Where files are uploaded in the name of a user, it is the one whose message is answered.
  const uploader = userId === null ? {} : { extra: { user: userId } };
  return {
    kind: shown.file === undefined ? "notice" : "answer",
    target: { ...target, replyTo: null },
    payload: { format: "plain", silent: false, ...shown, ...(shown.file === undefined ? {} : uploader) },
    sourceKey,
  };
}
