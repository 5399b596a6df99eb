import type { SessionId } from "../../base/units.js";
import type { ApprovalAsked, ApprovalOption, ClarifyAsked, HiddenAsked } from "../../contracts/chat/questions.js";
import type { Button, NewSend } from "../../contracts/gateway/outbox.js";
import { capsOf } from "../../contracts/gateway/platform-traits.js";
import { type EventPlace, toSendTarget } from "../targets/event-target.js";
import { toMessageParts } from "../text/message-parts.js";

/** Where a question is shown: the chat of a running turn, or of a conversation whose turn has ended. */
export interface AskingPlace {
  /** Session key of the chat. */
  readonly key: string;
  readonly session: SessionId;
  readonly event: EventPlace;
  /** Name that rows of the turn bear. */
  readonly turn?: string;
  /** Store messages, in order. @returns ids of the rows */
  emit(sends: readonly NewSend[]): Promise<readonly string[]>;
}

/** Secrets are never typed into a chat: its messages are kept by others. */
export const hiddenText = ({ prompt }: HiddenAsked, session: string): string =>
  [
    `🔒 ${prompt}`,
    "",
    "Never send it to this chat. Answer on the dashboard, or in a terminal:",
    block(`agent --resume ${session}`),
  ].join("\n");

/** Answers that a chat may give, with the word on their button. */
export const CHAT_ANSWERS = [
  ["once", "✅ Once"],
  ["session", "Session"],
  ["always", "Always"],
  ["deny", "❌ Deny"],
] as const satisfies readonly (readonly [ApprovalOption, string])[];

export type ChatAnswer = (typeof CHAT_ANSWERS)[number][0];

const hasButtons = (place: AskingPlace): boolean => capsOf(place.event.platform).buttons === "yes";

/** A block of code that shows a text exactly, whatever it holds. */
export function block(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}

/** Words of an approval: what will run, why it is asked about, and how to answer. */
export function approvalText(asked: ApprovalAsked, place: AskingPlace): string {
  const { command, reasons, cwd, kind } = asked;
  const why = reasons.map(({ text }) => `• ${text}`);
  const offered = listChatAnswers(asked).filter((one) => one !== "once" && one !== "deny");
  const words = ["/approve", ...offered.map((one) => `/approve ${one}`), "/deny"];
  const how = hasButtons(place) ? [] : ["", `Answer with ${words.slice(0, -1).join(", ")} or ${words.at(-1)}.`];
  if (kind === "desktop")
    return ["🔐 May this be done on the desktop?", block(command), ...why, ...ON_DESKTOP, ...how].join("\n");
  return ["🔐 May this run?", block(command), `in ${cwd}`, ...why, ...how].join("\n");
}

const ON_DESKTOP = [
  "Session allows this action in this window, always every action in it; both until this conversation ends.",
];

/** The four answers of chats, without those that the question does not offer. */
export const listChatAnswers = ({ options }: Pick<ApprovalAsked, "options">): readonly ChatAnswer[] =>
  CHAT_ANSWERS.flatMap(([answer]) => (options.includes(answer) ? [answer] : []));

export function clarifyText({ question, choices }: ClarifyAsked): string {
  const numbered = choices.map((choice, at) => `${at + 1}. ${choice}`);
  const how = choices.length === 0 ? [] : ["", "Answer with a number, or with words of your own."];
  return [`❓ ${question}`, ...numbered, ...how].join("\n");
}

export function approvalButtons(request: string, asked: ApprovalAsked): readonly (readonly Button[])[] {
  const row = listChatAnswers(asked).map((answer) => ({ text: wordOf(answer), data: `ea:${answer}:${request}` }));
  return [row];
}

const wordOf = (answer: ChatAnswer): string => CHAT_ANSWERS.find(([one]) => one === answer)?.[1] ?? answer;

export function clarifyButtons(request: string, { choices }: ClarifyAsked): readonly (readonly Button[])[] {
  if (choices.length === 0) return [];
  const rows = choices.map((choice, at) => [{ text: [...choice].slice(0, 40).join(""), data: `cl:${request}:${at}` }]);
  return [...rows, [{ text: "Something else", data: `cl:${request}:other` }]];
}

/** Messages that ask, the last with its buttons where the platform has them. */
export function questionSends(
  place: AskingPlace,
  request: string,
  { text, buttons }: ChatQuestion,
): readonly NewSend[] {
  const target = toSendTarget(place.event);
  if (target === undefined) return [];
  const parts = toMessageParts(target.platform, text, { format: "markdown", asked: true });
  return parts.map(({ payload, via }, seq) => ({
    kind: "approval",
    target: { ...target, replyTo: seq === 0 ? target.replyTo : null },
    payload:
      seq === parts.length - 1 && hasButtons(place) && buttons.length > 0
        ? { ...payload, extra: { ...payload.extra, buttons } }
        : payload,
    ...(via === undefined ? {} : { via }),
    ...(place.turn === undefined ? {} : { turn: { id: place.turn, seq } }),
    sourceKey: `question:${request}:${seq}`,
  }));
}

export interface ChatQuestion {
  readonly text: string;
  readonly buttons: readonly (readonly Button[])[];
}
