import { toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatApi, ChatEvent } from "../../contracts/chat/chat.js";
import type { OpenQuestion } from "../../contracts/chat/questions.js";
import type { ChatMember } from "../../contracts/chat/slash.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { capsOf } from "../../contracts/gateway/platform.js";
import type { Outbox } from "../outbox/outbox.js";
import { toSendTarget } from "../targets/event-target.js";
import type { Aid, LiveTurn, LiveTurns } from "./live-turns.js";
import {
  approvalButtons,
  approvalText,
  CHAT_ANSWERS,
  type ChatAnswer,
  type ChatQuestion,
  clarifyButtons,
  clarifyText,
  listChatAnswers,
  questionSends,
} from "./question-texts.js";

export interface ChatQuestionsDeps {
  readonly chat: ChatApi;
  readonly log: Log;
  readonly outbox: () => Pick<Outbox, "insert" | "get">;
  readonly live: () => LiveTurns;
  readonly member: (event: Inbound) => ChatMember;
}

/** Questions of running turns in their chats (gateway part, 14.1 and 14.2). */
export interface ChatQuestions {
  readonly aid: (live: LiveTurn) => Aid;
  /** A text that answers an open question of the turn. */
  answers(live: LiveTurn, event: Inbound): Promise<boolean>;
  /** `/approve` and `/deny`; undefined: nothing of this chat is asked. */
  command(event: Inbound, key: string): Promise<string | undefined>;
  /** Undefined: the button is none of these. */
  press(event: Inbound): Promise<readonly NewSend[] | undefined>;
}

/** A question that was put into a chat. */
interface Asked {
  readonly question: OpenQuestion;
  readonly live: LiveTurn;
  readonly asking: ChatQuestion;
  /** Rows that ask; the last has the buttons. */
  rows: readonly string[];
}

const RESOLVED = "This is already resolved.";
const NOT_YOURS = "⛔ You may not answer this.";
const NOBODY: ReadonlySet<string> = new Set(["timeout", "interrupted", "owner stopped"]);

export function createChatQuestions(deps: ChatQuestionsDeps): ChatQuestions {
  const { chat, log } = deps;
  const open = new Map<string, Asked>();
  const beside = (work: Promise<unknown>) => {
    work.catch((error: unknown) =>
      log.warning("a question of a chat is not shown as it is", { error: toAppError(error).message }),
    );
  };
  const oldest = (live: LiveTurn, kind: OpenQuestion["kind"]) =>
    [...open.values()].find((one) => one.live === live && one.question.kind === kind);
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
        const left = [...open].filter(([, one]) => one.live === live);
        for (const [request] of left) open.delete(request);
        await Promise.all(left.map(([, one]) => close(deps, one, "⏹ The turn has ended.").catch(() => undefined))); // ok to lose: a press says it
      },
    }),
    answers: async (live, event) => {
      const asked = oldest(live, "clarify");
      if (asked?.question.kind !== "clarify" || !mayAnswer(asked, event) || event.text.trim() === "") return false;
      const { choices } = asked.question.data;
      const said = event.text.trim();
      return resolved(() =>
        chat.answerClarify(asked.question.request, choices[Number(said) - 1] ?? said, nameOf(event)),
      );
    },
    command: async (event, key) => {
      const live = deps.live().of(key);
      const asked = live && oldest(live, "approval");
      if (asked?.question.kind !== "approval") return undefined;
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

const wordOf = (answer: ChatAnswer): string => CHAT_ANSWERS.find(([one]) => one === answer)?.[1] ?? answer;

/** The answer to a press, where the platform waits for one. */
function told(event: Inbound, text: string, alert = false): readonly NewSend[] {
  const target = toSendTarget(event);
  const { replyGrant: grant, platform, account, eventId } = event;
  if (target === undefined || grant === null) return [];
  const payload = { text, format: "plain", silent: true, grant, ...(alert ? { extra: { alert: true } } : {}) } as const;
  return [{ kind: "reply", via: "reply", target, payload, sourceKey: `event:${platform}:${account}:${eventId}:0` }];
}

/** Put a question into the chat of its turn. What nobody may type into a chat is cancelled. */
async function ask(
  deps: ChatQuestionsDeps,
  open: Map<string, Asked>,
  { live, request }: { readonly live: LiveTurn; readonly request: string },
) {
  const question = (await deps.chat.questions(live.session)).find((one) => one.request === request);
  if (question === undefined || open.has(request)) return;
  if (question.kind === "password" || question.kind === "secret") {
    await resolved(() =>
      deps.chat.answerHidden(
        question.kind === "secret" ? "secret" : "password",
        request,
        undefined,
        live.event.platform,
      ),
    );
    return;
  }
  const asking = askingOf(question, live);
  if (asking === undefined) return;
  const asked: Asked = { question, live, asking, rows: [] };
  open.set(request, asked);
  asked.rows = await live.emit(questionSends(live, request, asking));
}

function askingOf(question: OpenQuestion, live: LiveTurn): ChatQuestion | undefined {
  if (question.kind === "approval")
    return { text: approvalText(question.data, live), buttons: approvalButtons(question.request, question.data) };
  if (question.kind === "clarify")
    return { text: clarifyText(question.data), buttons: clarifyButtons(question.request, question.data) };
  return undefined;
}

/** Show in the chat how a question ended; its buttons are gone then. */
async function close(deps: ChatQuestionsDeps, { live, rows, asking, question }: Asked, outcome: string): Promise<void> {
  const target = toSendTarget(live.event);
  const id = rows.at(-1);
  const row = id === undefined ? undefined : await deps.outbox().get(id);
  const messageId = row?.platform_message_id ?? undefined;
  if (target === undefined || messageId === undefined || !capsOf(live.event.platform).edits) return;
  const shown: unknown = row?.payload === null || row === undefined ? undefined : JSON.parse(row.payload).text;
  const text = `${typeof shown === "string" ? shown : asking.text}\n\n${outcome}`;
  const payload = { text, format: "markdown", silent: true, messageId, extra: { buttons: [] } } as const;
  const key = `question:${question.request}:closed`;
  await deps
    .outbox()
    .insert([{ kind: "approval", via: "edit", target: { ...target, replyTo: null }, payload, sourceKey: key }]);
}

function outcomeOf({ question }: Asked, { data }: ChatEvent): string {
  const by = String(data["by"]);
  if (NOBODY.has(by)) return by === "timeout" ? "⌛ Nobody answered in time." : "⏹ Closed.";
  const answer = String(data["answer"]);
  if (question.kind !== "approval") return `✅ ${answer === "null" ? "cancelled" : answer} — ${by}`;
  return answer === "deny" ? `❌ Denied by ${by}.` : `✅ Allowed (${answer}) by ${by}.`;
}

/** In a direct chat only who the turn is for; in a group whoever may talk there. */
function mayAnswer({ live }: Asked, event: Inbound): boolean {
  const { platform, account, source } = live.event;
  if (
    event.platform !== platform ||
    event.account !== account ||
    toSendTarget(event)?.chatId !== toSendTarget(live.event)?.chatId
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
