import { AppError, toAppError } from "../../base/errors.js";
import type { Log } from "../../base/log/log.js";
import { type Inbound, PLATFORM_TAGS, type PlatformTag } from "../../contracts/board/platform-tag.js";
import type { NewSend } from "../../contracts/gateway/outbox.js";
import { BEHAVIOURS, type Behaviour } from "../settings/access-keys.js";
import { toSendTarget } from "../targets/event-target.js";
import { decideSender, isListed } from "./access-decision.js";
import { type Allowing, groupLists } from "./allowlists.js";
import type { Pairing } from "./pairing.js";

/** What a plugin says of an event before anybody else is asked (extensions part, 5.1). */
export type Policy =
  | { readonly action: "skip" }
  | { readonly action: "allow" }
  | { readonly action: "rewrite"; readonly text: string }
  | undefined;

/** Whether an event gets to the agent. `sends`: what a stranger is told. */
export type Passage =
  | { readonly passes: true; readonly event: Inbound }
  | { readonly passes: false; readonly reason: string; readonly sends: readonly NewSend[] };

export interface PassageDeps {
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
const STRANGER: Passage = { passes: false, reason: NOT_ALLOWED, sends: [] };

/** The one decision about every event: messages, presses, postbacks, commands and reactions alike (gateway part, 8). */
export function createPassage(deps: PassageDeps): (event: Inbound) => Promise<Passage> {
  const warned = new Set<string>();
  return async (event) => {
    try {
      return await passageOf(deps, event, warned);
    } catch (error) {
      if (toAppError(error).code !== "E_CONFIG") throw error;
      deps.log.error("nobody is let in by a setting that cannot be read", {
        platform: event.platform,
        error: toAppError(error).message,
      });
      return STRANGER;
    }
  };
}

async function passageOf(deps: PassageDeps, event: Inbound, warned: Set<string>): Promise<Passage> {
  if (event.internal) return { passes: true, event };
  const said = await asked(deps, event);
  if (said?.action === "skip") return { passes: false, reason: "skipped by a plugin", sends: [] };
  const heard = said?.action === "rewrite" ? { ...event, text: said.text } : event;
  if (said?.action === "allow" || (await isAdmitted(deps, heard, warned))) return { passes: true, event: heard };
  deps.log.info("an event of somebody who is not allowed", {
    platform: event.platform,
    kind: event.kind,
    user: event.source.userId,
  });
  return { passes: false, reason: NOT_ALLOWED, sends: await toldTo(deps, event) };
}

async function asked({ policy, log }: PassageDeps, event: Inbound): Promise<Policy> {
  try {
    return await policy?.(structuredClone(event));
  } catch (error) {
    log.error("a plugin that decides about messages failed; the message is left out", {
      error: toAppError(error).message,
    });
    return { action: "skip" };
  }
}

async function isAdmitted(
  { allowing, pairing, log }: PassageDeps,
  event: Inbound,
  warned: Set<string>,
): Promise<boolean> {
  const rules = allowing(event);
  const misplaced = groupLists(event.platform, rules).misplaced.length > 0;
  if (misplaced && !warned.has(event.platform)) {
    warned.add(event.platform);
    const name = `${event.platform.toUpperCase()}_GROUP_ALLOWED`;
    log.warning(
      `${name}_USERS holds ids of groups; they belong into ${name}_CHATS, and will not be read there for ever`,
    );
  }
  const decision = decideSender(event, rules);
  return decision === "if-paired" ? pairing.isPaired(event) : decision === "allow";
}

/** Platforms that show the answer to a press to its author alone. */
const ALERTS: ReadonlySet<string> = new Set<PlatformTag>(["msgt", "msgd", "msgf", "msgw"]);

const REFUSED = "⛔ You may not do this.";

async function toldTo(deps: PassageDeps, event: Inbound): Promise<readonly NewSend[]> {
  const target = toSendTarget(event);
  if (target === undefined) return [];
  const { platform, account, eventId, kind, replyGrant: grant, source } = event;
  const sourceKey = `event:${platform}:${account}:${eventId}:0`;
  if (kind === "button" || kind === "postback") {
    if (grant === null || !ALERTS.has(platform)) return [];
    const payload = { text: REFUSED, format: "plain", silent: true, grant, extra: { alert: true } } as const;
    return [{ kind: "reply", target, payload, via: "reply", sourceKey }];
  }
  if (source.chatType !== "dm" || !isAsking(event) || behaviourOf(deps, event) === "ignore") return [];
  const answer = await deps.pairing.invite(event);
  if (answer.told === "nothing") return [];
  const text = answer.told === "code" ? greeting(answer.code, deps.approve(platform, answer.code)) : LATER;
  return [{ kind: "pairing", target, payload: { text, format: "markdown", silent: false }, sourceKey }];
}

/** Only who writes is answered: an edit, a reaction or somebody who joins asks for nothing. */
const isAsking = ({ kind, platform }: Inbound): boolean =>
  (kind === "message" || kind === "command") && (PLATFORM_TAGS as readonly string[]).includes(platform);

/** What happens to strangers in direct chats (gateway part, 8.3). @throws E_CONFIG */
function behaviourOf({ allowing, behaviour }: Pick<PassageDeps, "allowing" | "behaviour">, event: Inbound): Behaviour {
  const rules = allowing(event);
  if (event.decided === "deny") return "ignore"; // its own policy shuts the chat: no code would open it
  const own = rules.platform.text("UNAUTHORIZED_DM_BEHAVIOR");
  if (own !== undefined) return oneOf(own, event.platform);
  const general = behaviour();
  if (general !== undefined) return general;
  const policy = event.platform === "msgx" ? rules.platform.text("DM_POLICY") : undefined;
  if (policy === "pairing") return "pair";
  if (policy === "allowlist" || policy === "disabled") return "ignore";
  return isListed(event.platform, rules) ? "ignore" : "pair";
}

function oneOf(value: string, tag: string): Behaviour {
  const found = BEHAVIOURS.find((one) => one === value);
  if (found !== undefined) return found;
  const key = `${tag.toUpperCase()}_UNAUTHORIZED_DM_BEHAVIOR`;
  throw new AppError("E_CONFIG", `${key} has to be ${BEHAVIOURS.join(" or ")}`, {
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
    "Give it to my owner, who lets you in with this line at the machine:",
    "",
    `\`${line}\``,
    "",
    "The code holds for an hour.",
  ].join("\n");

const LATER = "Hello! I do not know you yet, and too many people wait for a pairing code already. Try again later.";
