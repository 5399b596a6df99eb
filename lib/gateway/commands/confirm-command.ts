import type { Ids } from "../../base/ids.js";
import type { Clock } from "../../base/time/clock.js";
import type { EpochMs, Ms } from "../../base/units.js";
import { CONFIRM_RESET } from "../../commands/command-keys.js";
import type { Inbound } from "../../contracts/board/platform-tag.js";
import type { ChatApi } from "../../contracts/chat/chat.js";
import type { ChatMember } from "../../contracts/chat/slash.js";
import type { Config } from "../../contracts/config/config.js";
import type { Button, NewSend } from "../../contracts/gateway/outbox.js";
import { capsOf } from "../../contracts/gateway/platform-traits.js";
import type { Conversations } from "../conversations/conversations.js";
import { type CommandReply, commandIn } from "../router/command-text.js";
import { toSendTarget } from "../targets/event-target.js";
import type { RunChatCommand } from "./chat-command.js";

export interface ConfirmDeps {
  readonly chat: ChatApi;
  readonly conversations: Pick<Conversations, "at">;
  readonly config: Config;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly memberOf: (event: Inbound) => ChatMember;
  /** Own name of what was typed. */
  readonly nameOf: (typed: string) => string | undefined;
  /** Never ask again. */
  readonly always: () => Promise<unknown>;
  /** Messages for what a command said. */
  readonly answer: (event: Inbound, text: string) => readonly NewSend[];
}

/** A command that waits until its author says that it is meant. */
interface Pending {
  readonly id: string;
  readonly line: string;
  readonly question: string;
  readonly sessionKey: string;
  readonly user: string | null;
  readonly mayAlways: boolean;
  readonly until: EpochMs;
}

/** Questions about commands that throw away what is under way (gateway part, 9.2). They do not outlive the process, and nothing is done then. */
export interface Confirmations {
  /** Runs a command, asks about it, or takes it as the answer to the question that is open. */
  readonly run: (event: Inbound, sessionKey: string) => Promise<string | CommandReply>;
  /** A press of one of the question's buttons; undefined: another button. */
  readonly press: (event: Inbound) => Promise<readonly NewSend[] | undefined>;
}

const LIFE_MS: Ms = 300_000;
const MOST = 1_000;

type Choice = "once" | "always" | "cancel";

interface Parts extends ConfirmDeps {
  readonly inner: RunChatCommand;
  /** By session key; the newest question holds. */
  readonly open: Map<string, Pending>;
}

export function createConfirmations(deps: ConfirmDeps, inner: RunChatCommand): Confirmations {
  const parts: Parts = { ...deps, inner, open: new Map() };
  return {
    run: async (event, sessionKey) => {
      const name = deps.nameOf(commandIn(event) ?? "");
      const pending = openAt(parts, sessionKey);
      if (pending !== undefined && pending.user === event.source.userId && (name === "approve" || name === "deny"))
        return decided(parts, { pending, event, choice: choiceIn(name, event.text) });
      if (name !== "new") return inner(event, sessionKey);
      const what = await underWay(parts, event, sessionKey);
      return what === undefined ? inner(event, sessionKey) : ask(parts, { event, sessionKey, what });
    },
    press: (event) => press(parts, event),
  };
}

function openAt({ open, clock }: Parts, sessionKey: string): Pending | undefined {
  const pending = open.get(sessionKey);
  if (pending === undefined || clock.now() < pending.until) return pending;
  open.delete(sessionKey);
  return undefined;
}

const choiceIn = (name: string, text: string): Choice => {
  if (name === "deny") return "cancel";
  return /\balways\b/.test(text) ? "always" : "once";
};

/** What a new conversation would leave behind unfinished. */
async function underWay(
  { chat, config, conversations }: Parts,
  event: Inbound,
  sessionKey: string,
): Promise<string | undefined> {
  const session = await conversations.at(sessionKey);
  if (session === undefined || !config.get(CONFIRM_RESET) || /(^|\s)(--yes|-y)(\s|$)/.test(event.text))
    return undefined;
  if (await chat.isBusy(session)) return "A turn is running and would be interrupted.";
  return (await chat.goal(session))?.status === "active" ? "A goal is active and would be paused." : undefined;
}

interface Asked {
  readonly event: Inbound;
  readonly sessionKey: string;
  readonly what: string;
}

function ask({ open, ids, clock, memberOf }: Parts, { event, sessionKey, what }: Asked): CommandReply {
  const { tier, group, admins } = memberOf(event);
  const mayAlways = tier === "admin" || (tier === undefined && !group && admins !== true);
  const id = ids.hex(6);
  const question = `${what} Start a new conversation anyway?`;
  if (open.size >= MOST) for (const first of [...open.keys()].slice(0, 1)) open.delete(first);
  const line = event.text.replace(/^(\S+)/, "$1 --yes");
  open.set(sessionKey, {
    id,
    line,
    question,
    sessionKey,
    user: event.source.userId,
    mayAlways,
    until: clock.now() + LIFE_MS,
  });
  const buttons = capsOf(event.platform).buttons === "yes";
  if (!buttons)
    return {
      text: `${question} /approve confirms${mayAlways ? ", /approve always does not ask again" : ""}, /deny cancels.`,
    };
  return { text: question, buttons: [buttonsOf(id, mayAlways)] };
}

const buttonsOf = (id: string, mayAlways: boolean): readonly Button[] => [
  { text: "Once", data: `sc:once:${id}` },
  ...(mayAlways ? [{ text: "Always", data: `sc:always:${id}` }] : []),
  { text: "Cancel", data: `sc:cancel:${id}` },
];

interface Decision {
  readonly pending: Pending;
  readonly event: Inbound;
  readonly choice: Choice;
}

/** Carry out what was decided, once. */
async function decided({ open, inner, always }: Parts, { pending, event, choice }: Decision): Promise<string> {
  open.delete(pending.sessionKey);
  if (choice === "cancel") return "Nothing was changed.";
  if (choice === "always" && pending.mayAlways) await always();
  return inner({ ...event, kind: "command", type: "command", text: pending.line }, pending.sessionKey);
}

async function press(parts: Parts, event: Inbound): Promise<readonly NewSend[] | undefined> {
  const [, choice, id] = /^sc:(once|always|cancel):([0-9a-f]+)$/.exec(event.text) ?? [];
  if (choice === undefined) return undefined;
  const named = [...parts.open.values()].find((one) => one.id === id);
  const pending = named && openAt(parts, named.sessionKey);
  if (pending === undefined) return alert(event, "This is already resolved.");
  if (pending.user !== event.source.userId && parts.memberOf(event).tier !== "admin")
    return alert(event, "⛔ Only the person who asked can decide.");
  const text = await decided(parts, { pending, event, choice: choice as Choice }); // the pattern says so
  const said = choice === "cancel" ? "cancelled" : `done (${choice})`;
  const who = event.source.userName ?? event.source.userId ?? "somebody";
  return [
    ...alert(event, ""),
    ...edited(event, `${pending.question}\n${said}, by ${who}`),
    ...parts.answer(event, text),
  ];
}

/** The answer to the press itself; "" only ends its waiting. */
function alert(event: Inbound, text: string): readonly NewSend[] {
  const target = toSendTarget(event);
  const grant = event.replyGrant;
  if (target === undefined || grant === null) return [];
  const payload = {
    text,
    format: "plain",
    silent: true,
    grant,
    ...(text === "" ? {} : { extra: { alert: true } }),
  } as const;
  return [{ kind: "reply", target, payload, via: "reply", sourceKey: `${keyOf(event)}:press` }];
}

function edited(event: Inbound, text: string): readonly NewSend[] {
  const target = toSendTarget(event);
  const { messageId } = event.source;
  if (target === undefined || messageId === null) return [];
  const payload = { text, format: "plain", silent: true, messageId } as const;
  return [{ kind: "reply", target, payload, via: "edit", sourceKey: `${keyOf(event)}:edit` }];
}

const keyOf = ({ platform, account, eventId }: Inbound): string => `event:${platform}:${account}:${eventId}`;
