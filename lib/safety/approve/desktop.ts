import { FREE_ACTIONS } from "../../contracts/desktop/actions.js";
import { refusedKeys } from "../desktop/keys.js";
import { refusedText } from "../desktop/typed.js";
import { glob } from "../paths/glob.js";
import type { SourcedRule } from "../rules/rules.js";
import { deniedBy, filterListRules, filterNameRules, isYolo, toolRule } from "./common.js";
import { escaped, NO_RULES, shownRule } from "./offer.js";
import type { ApprovalDecision, ApprovalRequest, ApprovalScope, DesktopRequest, Reason } from "./types.js";

/** Decide about an action on the desktop (core part, 20.8; extensions part, 10.6). */
export function decideDesktop(request: ApprovalRequest, scope: ApprovalScope): ApprovalDecision {
  const { desktop } = request;
  if (desktop === undefined) return { outcome: "blocked", message: "BLOCKED: the action on the desktop is not named" };
  const refused = refusalOf(desktop, request, scope);
  if (refused !== undefined) return { outcome: "blocked", message: refused };
  const deny = touching(filterListRules(scope, "deny"), desktop) ?? toolRule(filterListRules(scope, "deny"), request);
  if (deny !== undefined) return deniedBy(deny);
  if (isYolo(scope)) return { outcome: "allowed", by: "yolo" };
  const grant = covering(scope.grants ?? [], desktop);
  if (grant !== undefined) return { outcome: "allowed", by: "session grant", rule: grant };
  const ask = touching(filterListRules(scope, "ask"), desktop) ?? toolRule(filterListRules(scope, "ask"), request);
  if (ask === undefined) {
    if (FREE_ACTIONS.has(desktop.action)) return { outcome: "allowed", by: "no risk" };
    const allow = filterListRules(scope, "allow");
    const rule = covering(allow, desktop) ?? toolRule(allow, request);
    if (rule !== undefined) return { outcome: "allowed", by: "rule", rule };
  }
  const reasons: readonly Reason[] = [
    ...(ask === undefined
      ? []
      : [{ class: "rule" as const, text: `the rule '${shownRule(ask)}' (${ask.source}) asks` }]),
    { class: "desktop", text: `${desktop.action} acts on ${placeOf(desktop)}` },
  ];
  return {
    outcome: "ask",
    reasons,
    segments: [],
    options: ["once", "session", "always", "deny"],
    offered: {
      ...NO_RULES,
      session: [grantFor(desktop.action, desktop)],
      always: [grantFor("*", desktop)],
    },
    rule: ask === undefined ? suggestion(desktop) : "",
    ...(ask === undefined ? {} : { asks: ask }),
    smart: false,
    untrusted: scope.rules.untrusted.length > 0,
    notices: scope.rules.notices,
  };
}

/** What no setting and no answer allows. */
function refusalOf(
  { keys, text }: DesktopRequest,
  { cwd }: ApprovalRequest,
  { paths }: ApprovalScope,
): string | undefined {
  const pressed = keys === undefined ? undefined : refusedKeys(keys);
  if (pressed !== undefined) return `BLOCKED: the keys ${keys} are never pressed: ${pressed}`;
  const typed = text === undefined ? undefined : refusedText(text, { ...paths, cwd });
  return typed === undefined ? undefined : `BLOCKED: this text is never typed: ${typed}`;
}

const placeOf = ({ apps, window }: DesktopRequest): string => {
  if (window === "screen") return "the whole screen";
  return `a window of ${apps.join(", ") || window}`;
};

/** Rules of a session name the window, so that an answer for one window holds for no other. */
const grantFor = (action: string, { window }: DesktopRequest): string => `desktop:${action}@${escaped(window)}`;

function suggestion({ action, apps }: DesktopRequest): string {
  const [app] = apps;
  return app === undefined || apps.length > 1 ? `desktop:${action}` : `desktop:${action}@${escaped(app)}`;
}

interface Pattern {
  readonly sourced: SourcedRule;
  readonly action: string;
  /** Absent: every program. */
  readonly place?: string;
}

/** `ACTION`, or `ACTION@PROGRAM`. */
const patternsOf = (rules: readonly SourcedRule[]): readonly Pattern[] =>
  filterNameRules(rules, "desktop").map(({ sourced, rule: { pattern } }) => {
    const at = pattern.indexOf("@");
    return at === -1
      ? { sourced, action: pattern }
      : { sourced, action: pattern.slice(0, at), place: pattern.slice(at + 1) };
  });

const isAction = ({ action }: Pattern, desktop: DesktopRequest): boolean => glob(action, true).word(desktop.action);

/** The first rule that is about the action in any window that it may touch. */
function touching(rules: readonly SourcedRule[], desktop: DesktopRequest): SourcedRule | undefined {
  const names = [...desktop.apps, desktop.window];
  return patternsOf(rules).find(
    (one) => isAction(one, desktop) && (one.place === undefined || names.some((name) => matches(one.place, name))),
  )?.sourced;
}

/** The first rule that covers the action in all windows that it may touch. */
function covering(rules: readonly SourcedRule[], desktop: DesktopRequest): SourcedRule | undefined {
  const { apps, window } = desktop;
  const everyApp = (one: Pattern): boolean => apps.length > 0 && apps.every((app) => matches(one.place, app));
  return patternsOf(rules).find(
    (one) => isAction(one, desktop) && (one.place === undefined || matches(one.place, window) || everyApp(one)),
  )?.sourced;
}

const matches = (place: string | undefined, name: string): boolean =>
  place !== undefined && glob(place, true).word(name);
