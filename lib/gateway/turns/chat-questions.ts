import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatApi, ChatEvent } from "../../contracts/chat/chat.js";
import type { OpenQuestion } from "../../contracts/chat/questions.js";
import type { ChatMember } from "../../contracts/chat/slash.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { capsOf } from "../../contracts/gateway/platform-traits.js";
import type { Outbox } from "../outbox/outbox.js";
import { toSendTarget } from "../targets/event-target.js";
import { type ChatFill, type Filled, fillIn, formQuestion, NEW_FILL, pressIn } from "./chat-forms.js";
import type { LiveTurn, LiveTurns, TurnObserver } from "./live-turns.js";
import {
  type AskingPlace,
  approvalButtons,
  approvalText,
  CHAT_ANSWERS,
  type ChatAnswer,
  type ChatQuestion,
  clarifyButtons,
  clarifyText,
  hiddenText,
  listChatAnswers,
  questionSends,
} from "./question-texts.js";

export interface ChatQuestionsDeps {
  readonly chat: ChatApi;
  readonly clock: Clock;
  readonly log: Log;
  readonly outbox: () => Pick<Outbox, "insert" | "get" | "keyed">;
  readonly live: () => LiveTurns;
  readonly member: (event: Inbound) => ChatMember;
}

/** Questions of running turns in their chats (gateway part, 14.1 and 14.2), and forms that outlive their turn. */
export interface ChatQuestions {
  readonly aid: (live: LiveTurn) => TurnObserver;
  /** A text that answers an open question of the turn. */
  answers(live: LiveTurn, event: Inbound): Promise<boolean>;
  /** A text that answers the form that this chat fills in although no turn runs. */
  answersParked(event: Inbound, key: string): Promise<boolean>;
  /** Ask again what an earlier owner has asked; what is shown already stays as it is. */
  askAgain(place: AskingPlace, question: OpenQuestion): Promise<void>;
  /** A question was answered, wherever that was. */
  ended(request: string, data: ChatEvent["data"]): Promise<void>;
  /** `/approve` and `/deny`; undefined: nothing of this chat is asked. */
  command(event: Inbound, key: string): Promise<string | undefined>;
  /** Undefined: the button is none of these. */
  press(event: Inbound): Promise<readonly NewSend[] | undefined>;
}

/** A question that was put into a chat. */
interface Asked {
  readonly question: OpenQuestion;
  /** Of a running turn that turn itself. */
  place: AskingPlace;
  asking: ChatQuestion;
  /** Rows that ask; the last has the buttons. */
  rows: readonly string[];
  /** Of a form. */
  fill: ChatFill;
  /** Messages of it so far. */
  steps: number;
  /** Without a running turn: until then texts of the chat fill it in (`clock.mono`). */
  fillsUntil: Ms;
}

/** A parked form that is not continued is left alone: what is said then is meant for the model. */
const FILL_MS: Ms = 300_000;
/** How often a form is asked again in its chat, however often owners start. */
const AGAIN_MS: Ms = 3_600_000;

const RESOLVED = "This is already resolved.";
const NOT_YOURS = "⛔ You may not answer this.";
const NOBODY: ReadonlySet<string> = new Set(["timeout", "interrupted", "owner stopped"]);

export function createChatQuestions(deps: ChatQuestionsDeps): ChatQuestions {
  const { chat, log } = deps;
  const open = new Map<string, Asked>();
  const beside = (work: Promise<unknown>) => {
    work.catch((error: unknown) =>
      log.warning("failed to show a question in a chat", { error: toAppError(error).message }),
    );
  };
  const oldest = (live: LiveTurn, ...kinds: OpenQuestion["kind"][]) =>
    [...open.values()].find((one) => one.place === live && kinds.includes(one.question.kind));
  const parkedIn = (key: string) =>
    [...open.values()].find((one) => one.place.key === key && isParked(one.question) && !isOfTurn(deps, one));
  return {
    aid: (live) => ({
      on: (event) => {
        const request = String(event.data["request"]);
        if (event.event.endsWith(".requested")) beside(ask(deps, open, { live, request }));
        const asked = open.get(request);
        if (!event.event.endsWith(".resolved") || asked === undefined) return;
        open.delete(request);
        beside(close(deps, asked, outcomeOf(asked, event)));
      },
      stop: async () => {
        const left = [...open].filter(([, one]) => one.place === live);
        for (const [request, one] of left)
          if (isParked(one.question)) one.place = placeWithoutTurn(deps, live);
          else open.delete(request);
        await Promise.all(left.map(([, one]) => close(deps, one, endOf(one)).catch(() => undefined))); // ok to lose: a press says it
      },
    }),
    answers: async (live, event) => {
      const asked = oldest(live, "clarify", "form");
      if (asked === undefined || !mayAnswer(asked, event) || event.text.trim() === "") return false;
      if (asked.question.kind === "form")
        return goOn(deps, asked, fillIn(asked.question.data, asked.fill, event.text), nameOf(event));
      if (asked.question.kind !== "clarify") return false;
      const { choices } = asked.question.data;
      const said = event.text.trim();
      return resolved(() =>
        chat.answerClarify(asked.question.request, choices[Number(said) - 1] ?? said, nameOf(event)),
      );
    },
    answersParked: async (event, key) => {
      const asked = parkedIn(key);
      if (asked?.question.kind !== "form" || asked.fillsUntil <= deps.clock.mono()) return false;
      if (!mayAnswer(asked, event) || event.text.trim() === "") return false;
      return goOn(deps, asked, fillIn(asked.question.data, asked.fill, event.text), nameOf(event));
    },
    askAgain: async (place, question) => {
      const { request } = question;
      if (open.has(request)) return;
      const asking = askingOf(question, place);
      const asked = newAsked(question, place, { ...asking, text: `${asking.text}\n\n${PARKED}` });
      open.set(request, asked);
      const again = `${request}:again:${Math.floor(deps.clock.now() / AGAIN_MS)}`;
      asked.rows = await place.emit(questionSends(place, again, asked.asking));
    },
    ended: async (request, data) => {
      const asked = open.get(request);
      if (asked === undefined || isOfTurn(deps, asked)) return; // its turn hears of it by itself
      open.delete(request);
      await close(deps, asked, outcomeOf(asked, { data }));
    },
    command: async (event, key) => {
      const live = deps.live().of(key);
      const asked = live && oldest(live, "approval");
      if (asked?.question.kind !== "approval") return parkedCommand(deps, parkedIn(key), event);
      if (!mayAnswer(asked, event) || deps.member(event).tier === "member") return NOT_YOURS;
      const [, verb = "", rest = ""] = /^\/(approve|deny)\S*\s*([\s\S]*)$/i.exec(event.text) ?? [];
      const wanted = verb.toLowerCase() === "deny" ? "deny" : rest.trim() === "" ? "once" : rest.trim().toLowerCase();
      const answer = listChatAnswers(asked.question.data).find((one) => one === wanted);
      if (answer === undefined)
        return `⚠️ Answer with ${listChatAnswers(asked.question.data)
          .map((one) => (one === "deny" ? "/deny" : `/approve ${one}`))
          .join(", ")}.`;
      const reason = answer === "deny" && rest.trim() !== "" ? { text: rest.trim() } : {};
      const done = await resolved(() =>
        chat.answerApproval(asked.question.request, { answer, ...reason }, nameOf(event)),
      );
      return done ? (answer === "deny" ? "❌ Denied." : `✅ Allowed (${answer}).`) : RESOLVED;
    },
    press: async (event) => {
      const [, form = "", at = "", option = ""] = /^fo:([^:]+):(\d+):([a-z0-9]+)$/.exec(event.text) ?? [];
      if (form !== "") return pressedForm(deps, open.get(form), { event, at: Number(at), option });
      const [, kind = "", first = "", second = ""] = /^(ea|cl):([^:]+):([^:]+)$/.exec(event.text) ?? [];
      if (kind === "") return undefined;
      const asked = open.get(kind === "ea" ? second : first);
      if (asked === undefined) return told(event, RESOLVED);
      if (!mayAnswer(asked, event)) return told(event, NOT_YOURS, true);
      return kind === "ea"
        ? pressedApproval(deps, asked, { event, answer: first })
        : pressedClarify(deps, asked, { event, choice: second });
    },
  };
}

interface Pressed {
  readonly event: Inbound;
}

async function pressedApproval(
  deps: ChatQuestionsDeps,
  asked: Asked,
  { event, answer }: Pressed & { readonly answer: string },
) {
  const { question } = asked;
  if (question.kind !== "approval") return told(event, RESOLVED);
  if (deps.member(event).tier === "member") return told(event, NOT_YOURS, true);
  const given = listChatAnswers(question.data).find((one) => one === answer);
  if (given === undefined) return told(event, RESOLVED);
  const done = await resolved(() => deps.chat.answerApproval(question.request, { answer: given }, nameOf(event)));
  return told(event, done ? wordOf(given) : RESOLVED);
}

async function pressedClarify(
  { chat }: ChatQuestionsDeps,
  { question }: Asked,
  { event, choice }: Pressed & { readonly choice: string },
) {
  if (question.kind !== "clarify") return told(event, RESOLVED);
  if (choice === "other") return told(event, "Type your answer as a message.");
  const text = question.data.choices[Number(choice)];
  if (text === undefined) return told(event, RESOLVED);
  return told(
    event,
    (await resolved(() => chat.answerClarify(question.request, text, nameOf(event)))) ? "✅" : RESOLVED,
  );
}

async function pressedForm(
  deps: ChatQuestionsDeps,
  asked: Asked | undefined,
  { event, at, option }: Pressed & { readonly at: number; readonly option: string },
) {
  if (asked?.question.kind !== "form") return told(event, RESOLVED);
  if (!mayAnswer(asked, event)) return told(event, NOT_YOURS, true);
  const filled = pressIn(asked.question.data, asked.fill, { at, option });
  if (filled === undefined) return told(event, RESOLVED);
  return told(event, (await goOn(deps, asked, filled, nameOf(event))) ? "✅" : RESOLVED);
}

/** The next field, the same one again with what is wrong, or the answer. False: the form has ended. */
async function goOn(deps: ChatQuestionsDeps, asked: Asked, filled: Filled, by: string): Promise<boolean> {
  const { chat } = deps;
  const { question, place } = asked;
  const { request } = question;
  if (question.kind !== "form") return false;
  if ("given" in filled) return resolved(() => chat.answerForm(request, filled.given, by));
  const there = await resolved(async () => {
    await chat.touch(request); // its time starts over with every answer
  });
  if (!there) return false;
  if ("next" in filled) asked.fill = filled.next;
  asked.steps += 1;
  asked.asking = formQuestion(request, question.data, asked.fill, "fault" in filled ? filled.fault : undefined);
  asked.fillsUntil = deps.clock.mono() + FILL_MS;
  asked.rows = await place.emit(questionSends(place, `${request}:${asked.steps}`, asked.asking));
  return true;
}

/** A parked form outlives the turn, and keeps its place in the chat. */
const endOf = ({ question }: Asked): string => (isParked(question) ? PARKED : "⏹ The turn has ended.");

const PARKED =
  "⏸ It stays open: /approve answers it here, /deny declines it. The dashboard and a terminal show it as well.";

const isParked = ({ kind, data }: OpenQuestion): boolean => kind === "form" && data.park === true;

const isOfTurn = (deps: ChatQuestionsDeps, { place }: Asked): boolean => deps.live().of(place.key) === place;

/** `/approve` begins to fill a parked form in, or agrees where there is nothing to fill in; `/deny` declines it. */
async function parkedCommand(
  deps: ChatQuestionsDeps,
  asked: Asked | undefined,
  event: Inbound,
): Promise<string | undefined> {
  if (asked?.question.kind !== "form") return undefined;
  if (!mayAnswer(asked, event)) return NOT_YOURS;
  const { request, data } = asked.question;
  if (/^\/deny\b/i.test(event.text))
    return (await resolved(() => deps.chat.answerForm(request, { action: "decline" }, nameOf(event))))
      ? "❌ Declined."
      : RESOLVED;
  if (data.fields.length === 0)
    return (await resolved(() => deps.chat.answerForm(request, { action: "accept" }, nameOf(event))))
      ? "✅ Agreed."
      : RESOLVED;
  asked.fillsUntil = deps.clock.mono() + FILL_MS;
  return formQuestion(request, data, asked.fill).text;
}

/** The chat of a turn that has ended. */
const placeWithoutTurn = (deps: ChatQuestionsDeps, { key, session, event }: AskingPlace): AskingPlace => ({
  key,
  session,
  event,
  emit: emitTo(deps.outbox),
});

/** Store messages that belong to no turn. */
export const emitTo =
  (outbox: () => Pick<Outbox, "insert" | "keyed">): AskingPlace["emit"] =>
  async (sends) => {
    await outbox().insert(sends);
    const keys = sends.flatMap(({ sourceKey }) => sourceKey ?? []);
    const rows = await Promise.all(keys.map((key) => outbox().keyed(key)));
    return rows.flat().map(({ id }) => id);
  };

const wordOf = (answer: ChatAnswer): string => CHAT_ANSWERS.find(([one]) => one === answer)?.[1] ?? answer;

/** The answer to a press, where the platform waits for one. */
function told(event: Inbound, text: string, alert = false): readonly NewSend[] {
  const target = toSendTarget(event);
  const { replyGrant: grant, platform, account, eventId } = event;
  if (target === undefined || grant === null) return [];
  const payload = { text, format: "plain", silent: true, grant, ...(alert ? { extra: { alert: true } } : {}) } as const;
  return [{ kind: "reply", via: "reply", target, payload, sourceKey: `event:${platform}:${account}:${eventId}:0` }];
}

/** Put a question into the chat of its turn. What may not be typed into a chat is answered elsewhere. */
async function ask(
  deps: ChatQuestionsDeps,
  open: Map<string, Asked>,
  { live, request }: { readonly live: LiveTurn; readonly request: string },
) {
  const question = (await deps.chat.questions(live.session)).find((one) => one.request === request);
  if (question === undefined || open.has(request)) return;
  const asking = askingOf(question, live);
  const asked = newAsked(question, live, asking);
  open.set(request, asked);
  asked.rows = await live.emit(questionSends(live, request, asking));
}

const newAsked = (question: OpenQuestion, place: AskingPlace, asking: ChatQuestion): Asked => ({
  question,
  place,
  asking,
  rows: [],
  fill: NEW_FILL,
  steps: 0,
  fillsUntil: 0,
});

function askingOf(question: OpenQuestion, live: AskingPlace): ChatQuestion {
  if (question.kind === "approval")
    return { text: approvalText(question.data, live), buttons: approvalButtons(question.request, question.data) };
  if (question.kind === "clarify")
    return { text: clarifyText(question.data), buttons: clarifyButtons(question.request, question.data) };
  if (question.kind === "form") return formQuestion(question.request, question.data, NEW_FILL);
  return { text: hiddenText(question.data, live.session), buttons: [] };
}

/** Show in the chat how a question ended; its buttons are gone then. */
async function close(
  deps: ChatQuestionsDeps,
  { place, rows, asking, question }: Asked,
  outcome: string,
): Promise<void> {
  const target = toSendTarget(place.event);
  const id = rows.at(-1);
  const row = id === undefined ? undefined : await deps.outbox().get(id);
  const messageId = row?.platform_message_id ?? undefined;
  if (target === undefined || messageId === undefined || !capsOf(place.event.platform).edits) return;
  const shown: unknown = row?.payload === null || row === undefined ? undefined : JSON.parse(row.payload).text;
  const before = (typeof shown === "string" ? shown : asking.text).replace(`\n\n${PARKED}`, "");
  const text = `${before}\n\n${outcome}`;
  const stays = outcome === PARKED;
  const buttons = stays ? asking.buttons : [];
  const payload = { text, format: "markdown", silent: true, messageId, extra: { buttons } } as const;
  const key = `question:${question.request}:${stays ? "parked" : "closed"}`;
  await deps
    .outbox()
    .insert([{ kind: "approval", via: "edit", target: { ...target, replyTo: null }, payload, sourceKey: key }]);
}

function outcomeOf({ question }: Asked, { data }: Pick<ChatEvent, "data">): string {
  const by = String(data["by"]);
  if (NOBODY.has(by)) return by === "timeout" ? "⌛ No answer in time." : "⏹ Closed.";
  const answer = String(data["answer"]);
  if (question.kind === "password" || question.kind === "secret") return `✅ Answered — ${by}`;
  if (question.kind === "form" && answer !== "accept")
    return `❌ ${answer === "decline" ? "Declined" : "Cancelled"} — ${by}`;
  if (question.kind === "form") return `✅ Sent — ${by}`;
  if (question.kind !== "approval") return `✅ ${answer === "null" ? "cancelled" : answer} — ${by}`;
  return answer === "deny" ? `❌ Denied by ${by}.` : `✅ Allowed (${answer}) by ${by}.`;
}

/** In a direct chat only the user of the turn; in a group every user who may talk there. */
function mayAnswer({ place }: Asked, event: Inbound): boolean {
  const { platform, account, source } = place.event;
  if (
    event.platform !== platform ||
    event.account !== account ||
    toSendTarget(event)?.chatId !== toSendTarget(place.event)?.chatId
  )
    return false;
  return source.chatType !== "dm" || event.source.userId === source.userId;
}

const nameOf = ({ source, platform }: Inbound): string => source.userName ?? source.userId ?? platform;

/** False: it was resolved before. */
async function resolved(answer: () => Promise<void>): Promise<boolean> {
  try {
    await answer();
    return true;
  } catch (thrown) {
    const { code } = toAppError(thrown);
    if (code === "E_ALREADY_RESOLVED" || code === "E_NOT_FOUND") return false;
    throw thrown;
  }
}
