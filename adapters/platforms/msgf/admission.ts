import type { OwnDecision } from "../../../lib/contracts/board/platform-tag.js";
import type { Self } from "./identity.js";
import type { AdmissionSettings, GroupPolicy } from "./settings.js";
import type { WireIds, WireMessage } from "./wire.js";

/** `decided` undefined: the lists of the gateway say it. */
export type Verdict =
  | { readonly taken: true; readonly decided?: OwnDecision }
  | { readonly taken: false; readonly why: string };

const drop = (why: string): Verdict => ({ taken: false, why });

/** Whether a message is for the agent: the rules of gateway part, 16.4.3, in their order. Needs no I/O. */
export function admissionOf({ sender, message }: WireMessage, self: Self, rules: AdmissionSettings): Verdict {
  const ids = idsOf(sender.sender_id);
  if (ids.some((id) => id === self.openId || id === self.userId || id === self.appId)) return drop("self_echo");
  const bot = sender.sender_type !== "user";
  const mentioned = mentions(message, self);
  if (bot && rules.bots === "none") return drop("bots_disabled");
  if (bot && self.openId === "" && self.userId === "") return drop("self_ids_unknown");
  if (bot && rules.bots === "mentions" && !mentioned) return drop("bot_not_mentioned");
  if (message.chat_type === "p2p") return bot ? { taken: true, decided: "bot" } : { taken: true };
  if (!passesGroup(message.chat_id, { ids, bot }, rules)) return drop("group_policy");
  const needed = ruleOf(rules, message.chat_id)?.requireMention ?? rules.requireMention;
  const everybody = rules.mentionAllCounts && mentionsAll(message);
  return needed && !mentioned && !everybody ? drop("not_mentioned") : { taken: true, decided: "allow" };
}

/** Whether a user may press a button in a group; direct chats are decided elsewhere. */
export const mayPress = (chat: string, ids: readonly string[], rules: AdmissionSettings): boolean =>
  passesGroup(chat, { ids, bot: false }, rules);

/** Identifiers of a person, without empty ones. */
export const idsOf = (ids: WireIds | null | undefined): readonly string[] =>
  [ids?.open_id, ids?.user_id, ids?.union_id, ids?.app_id].filter(
    (id): id is string => typeof id === "string" && id !== "",
  );

const ruleOf = ({ groups }: AdmissionSettings, chat: string) =>
  Object.hasOwn(groups, chat) ? groups[chat] : undefined;

interface Sender {
  readonly ids: readonly string[];
  readonly bot: boolean;
}

function passesGroup(chat: string, { ids, bot }: Sender, rules: AdmissionSettings): boolean {
  const rule = ruleOf(rules, chat);
  const policy: GroupPolicy = rule?.policy ?? rules.policy;
  if (policy === "disabled") return false;
  if (named(rules.admins, ids)) return true;
  if (policy === "admin_only") return false;
  if (bot || policy === "open") return true;
  if (policy === "blacklist") return !named(rule?.blacklist ?? [], ids);
  return rules.everybody || named(rule?.allowlist ?? rules.users, ids);
}

const named = (list: readonly string[], ids: readonly string[]): boolean =>
  list.some((one) => one === "*" || ids.includes(one));

function mentions(message: WireMessage["message"], self: Self): boolean {
  return (message.mentions ?? []).some((one) => isSelf(one, self));
}

/** A name counts only when both sides are without an id. */
export function isSelf(
  { id, name }: { readonly id?: WireIds | null | undefined; readonly name: string },
  self: Self,
): boolean {
  const ids = idsOf(id);
  if (ids.length > 0) return ids.some((one) => one === self.openId || one === self.userId || one === self.appId);
  return self.openId === "" && self.userId === "" && self.name !== "" && name === self.name;
}

const mentionsAll = ({ content, mentions: all }: WireMessage["message"]): boolean =>
  content.includes("@_all") || (all ?? []).some(({ key }) => key === "@_all");
