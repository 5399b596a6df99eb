import { AppError, toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import { type Inbound, isHook } from "../../contracts/board/platform-tag.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { isPlatform, traitsOf } from "../../contracts/gateway/platform-traits.js";
import { BEHAVIOURS, type Behaviour } from "../settings/access-keys.js";
import { toSendTarget } from "../targets/event-target.js";
import { type Allowing, allowedRoles, allowedUsers, groupLists, idsOf, matchesAllowlist } from "./allowlists.js";
import type { Pairing } from "./pairing.js";

/** What a plugin says of an event before anything else is asked (extensions part, 5.1). */
export type Policy =
  | { readonly action: "skip" }
  | { readonly action: "allow" }
  | { readonly action: "rewrite"; readonly text: string }
  | undefined;

/** Whether an event gets to the agent. `sends`: the reply to a stranger. */
export type AdmissionResult =
  | { readonly passes: true; readonly event: Inbound }
  | { readonly passes: false; readonly reason: string; readonly sends: readonly NewSend[] };

export interface AdmissionDeps {
  readonly allowing: (event: Inbound) => Allowing;
  readonly pairing: Pick<Pairing, "isPaired" | "invite">;
  /** `unauthorized_dm_behavior` for all platforms. */
  readonly behaviour: () => Behaviour | undefined;
  /** Command line that approves a code. */
  readonly approve: (platform: string, code: string) => string;
  /** Plugins with `pre_gateway_dispatch`. One that throws keeps the event out. */
  readonly policy?: (event: Inbound) => Promise<Policy>;
  readonly log: Log;
}

const NOT_ALLOWED = "not allowed";
const STRANGER: AdmissionResult = { passes: false, reason: NOT_ALLOWED, sends: [] };

/** The one decision about every event: messages, presses, postbacks, commands and reactions alike (gateway part, 8). */
export function createAdmission(deps: AdmissionDeps): (event: Inbound) => Promise<AdmissionResult> {
  const warned = new Set<string>();
  return async (event) => {
    try {
      return await passageOf(deps, event, warned);
    } catch (error) {
      if (toAppError(error).code !== "E_CONFIG") throw error;
      deps.log.error("invalid access setting: no one is admitted", {
        platform: event.platform,
        error: toAppError(error).message,
      });
      return STRANGER;
    }
  };
}

async function passageOf(deps: AdmissionDeps, event: Inbound, warned: Set<string>): Promise<AdmissionResult> {
  if (event.internal) return { passes: true, event };
  const said = isHook(event.platform) ? undefined : await asked(deps, event); // its signature has been checked
  if (said?.action === "skip") return { passes: false, reason: "skipped by a plugin", sends: [] };
  const heard = said?.action === "rewrite" ? { ...event, text: said.text } : event;
  if (said?.action === "allow" || (await isAdmitted(deps, heard, warned))) return { passes: true, event: heard };
  deps.log.info("message from an unknown user", {
    platform: event.platform,
    kind: event.kind,
    user: event.source.userId,
  });
  return { passes: false, reason: NOT_ALLOWED, sends: await toldTo(deps, event) };
}

async function asked({ policy, log }: AdmissionDeps, event: Inbound): Promise<Policy> {
  try {
    return await policy?.(structuredClone(event));
  } catch (error) {
    log.error("an access plugin failed; the message is dropped", {
      error: toAppError(error).message,
    });
    return { action: "skip" };
  }
}

async function isAdmitted(
  { allowing, pairing, log }: AdmissionDeps,
  event: Inbound,
  warned: Set<string>,
): Promise<boolean> {
  const rules = allowing(event);
  const misplaced = groupLists(event.platform, rules).misplaced.length > 0;
  if (misplaced && !warned.has(event.platform)) {
    warned.add(event.platform);
    const name = `${event.platform.toUpperCase()}_GROUP_ALLOWED`;
    log.warning(`${name}_USERS contains group ids; move them to ${name}_CHATS, since this will stop working`);
  }
  const decision = decideSender(event, rules);
  return decision === "if-paired" ? pairing.isPaired(event) : decision === "allow";
}

const REFUSED = "⛔ You may not do this.";

async function toldTo(deps: AdmissionDeps, event: Inbound): Promise<readonly NewSend[]> {
  const target = toSendTarget(event);
  if (target === undefined) return [];
  const { platform, account, eventId, kind, replyGrant: grant, source } = event;
  const sourceKey = `event:${platform}:${account}:${eventId}:0`;
  if (kind === "button" || kind === "postback") {
    if (grant === null || !traitsOf(platform).alerts) return [];
    const payload = { text: REFUSED, format: "plain", silent: true, grant, extra: { alert: true } } as const;
    return [{ kind: "reply", target, payload, via: "reply", sourceKey }];
  }
  if (source.chatType !== "dm" || !isAsking(event) || behaviourOf(deps, event) === "ignore") return [];
  const answer = await deps.pairing.invite(event);
  if (answer.told === "nothing") return [];
  const text = answer.told === "code" ? greeting(answer.code, deps.approve(platform, answer.code)) : LATER;
  return [{ kind: "pairing", target, payload: { text, format: "markdown", silent: false }, sourceKey }];
}

/** Only writers are answered: an edit, a reaction or a new member does not ask for anything. */
const isAsking = ({ kind, platform }: Inbound): boolean =>
  (kind === "message" || kind === "command") && isPlatform(platform);

/** What happens to strangers in direct chats (gateway part, 8.3). @throws E_CONFIG */
function behaviourOf(
  { allowing, behaviour }: Pick<AdmissionDeps, "allowing" | "behaviour">,
  event: Inbound,
): Behaviour {
  const rules = allowing(event);
  if (event.decided === "deny") return "ignore"; // its own policy shuts the chat: no code would open it
  const own = rules.platform.text("UNAUTHORIZED_DM_BEHAVIOR");
  if (own !== undefined) return oneOf(own, event.platform);
  const general = behaviour();
  if (general !== undefined) return general;
  const policy = traitsOf(event.platform).dmPolicy ? rules.platform.text("DM_POLICY") : undefined;
  if (policy === "pairing") return "pair";
  if (policy === "allowlist" || policy === "disabled") return "ignore";
  return isListed(event.platform, rules) ? "ignore" : "pair";
}

function oneOf(value: string, tag: string): Behaviour {
  const found = BEHAVIOURS.find((one) => one === value);
  if (found !== undefined) return found;
  const key = `${tag.toUpperCase()}_UNAUTHORIZED_DM_BEHAVIOR`;
  throw new AppError("E_CONFIG", `${key} must be ${BEHAVIOURS.join(" or ")}`, {
    key,
    hint: "change it in .env or config.yaml",
  });
}

const greeting = (code: string, line: string): string =>
  [
    "Hello! I am an agent that works for its owner, and I do not know you yet.",
    "",
    `Your pairing code: \`${code}\``,
    "",
    "Give it to my owner, who can approve it on the machine with:",
    "",
    `\`${line}\``,
    "",
    "The code is valid for an hour.",
  ].join("\n");

const LATER = "Hello! I do not know you yet, and too many people are waiting for a pairing code. Try again later.";

/** `if-paired`: without a list, paired users may talk. */
export type SenderDecision = "allow" | "deny" | "if-paired";

/** Whether the sender of an event may talk to the agent; the first rule that fits decides (gateway part, 8.1). @throws E_CONFIG */
export function decideSender(event: Inbound, allowing: Allowing): SenderDecision {
  const { platform: tag, source, decided } = event;
  const { platform, all } = allowing;
  if (event.internal || isHook(tag)) return "allow";
  if (decided === "allow" || decided === "deny") return decided;
  const group = source.chatType !== "dm";
  const lists = groupLists(tag, allowing);
  if (group && source.chatId !== null && matchesAllowlist(lists.chats, tag, [source.chatId])) return "allow";
  const ids = idsOf(event);
  if (ids.every((id) => id === null)) return "deny";
  if (platform.flag("ALLOW_ALL_USERS", false) || decided === "bot" || decided === "role") return "allow";
  const listed = [...allowedUsers(allowing), ...(group ? lists.users : [])];
  if (listed.length > 0 || allowedRoles(tag, allowing).length > 0)
    return matchesAllowlist(listed, tag, ids) ? "allow" : "deny";
  return all.flag("ALLOW_ALL_USERS", false) ? "allow" : "if-paired";
}

/** Whether a list of people says who may talk on a platform, wherever: strangers are then not asked to pair. @throws E_CONFIG */
export function isListed(tag: string, allowing: Allowing): boolean {
  return [...allowedUsers(allowing), ...allowedRoles(tag, allowing), ...groupLists(tag, allowing).users].length > 0;
}
