import { AppError } from "../../base/errors.js";
import type { Home } from "../../base/home.js";
import type { Clock } from "../../base/time/clock.js";
import type { SessionId } from "../../base/units.js";
import type { Config } from "../../contracts/config/config.js";
import type {
  ListedRule,
  PermissionPlace,
  PermissionsApi,
  SessionSwitches,
} from "../../contracts/config/permissions.js";
import { isYolo } from "../../safety/approve/common.js";
import { type RuleValue, ruleText, shownRule } from "../../safety/approve/offer.js";
import type { Cages } from "../../safety/cage/cages.js";
import { parseRuleEntry } from "../../safety/rules/entry.js";
import { addRules, removeRule, trustProject, untrustProject } from "../../safety/rules/file.js";
import type { SourcedRule } from "../../safety/rules/rules.js";
import { readRuleText } from "../../safety/rules/text.js";
import { noSession } from "../transcript/session-record.js";
import { explainCommand } from "./explain.js";
import { cageFacts, explainCage, listCage } from "./explain-cage.js";
import { type GrantBook, type Grants, withRules } from "./grants.js";
import { approvalScope, type ScopeDeps, type Scoped } from "./scope.js";
import type { RuleUses } from "./uses.js";

export interface PermissionsDeps {
  readonly home: Home;
  readonly config: Config;
  readonly clock: Clock;
  readonly book: GrantBook;
  readonly uses: RuleUses;
  /** Absent: commands run without an engine for cages. */
  readonly cages?: Cages;
  lineageOf(session: SessionId): Promise<SessionId | undefined>;
  tellYolo(session: SessionId, yolo: boolean): Promise<void>;
  /** The cage that commands of a place run in; absent: none. */
  readonly cage?: NonNullable<ScopeDeps["cage"]>;
}

const NONE: Grants = { rules: [] };

/** Rules and grants as people look after them. */
export function createPermissions(deps: PermissionsDeps): PermissionsApi {
  const rootOf = async (session: SessionId): Promise<SessionId> => {
    const root = await deps.lineageOf(session);
    if (root === undefined) throw noSession(session);
    return root;
  };
  const look = async (place: PermissionPlace): Promise<Looked> => {
    const root = place.session === undefined ? undefined : await rootOf(place.session);
    const grants = root === undefined ? NONE : await deps.book.of(root);
    return { ...(await approvalScope({ ...deps, env: process.env }, place, grants)), root, grants };
  };
  const all = async (place: PermissionPlace) => listRules(deps, await look(place));
  return {
    permissions: async (place) => {
      const looked = await look(place);
      const { scope, files } = looked;
      const rules = listRules(deps, looked).map((one) => one.shown);
      const own = rules.some((rule) => rule.list === "allow" && rule.source === "project");
      return {
        rules,
        mode: scope.mode,
        edits: scope.edits,
        yolo: isYolo(scope),
        classes: scope.allowlist,
        trusted: own ? scope.rules.untrusted.length === 0 : null,
        user_file: files.user,
        project_file: files.project,
        notices: scope.rules.notices,
        ...(deps.cages === undefined ? {} : { cage: await listCage(deps.cages, deps.config, place.env) }),
      };
    },
    permissionTest: async (command, place) => {
      const { scope, root } = await look(place);
      const facts = deps.cages === undefined ? undefined : await cageFacts(deps.cages, place, root);
      const test = explainCommand(command, place.cwd, scope);
      return facts === undefined ? test : { ...test, cage: explainCage(command, place.cwd, scope, facts) };
    },
    permissionAdd: async (list, rule, to, place) => {
      const value = await readRuleText(rule);
      const text = ruleLine(list, value);
      const { files, scope } = await look(place);
      if (to === "session") await grantFor(deps, place, { list, value }, rootOf);
      else if (to === "project" && list === "allow" && scope.rules.untrusted.length > 0) throw untrusted(files.project);
      else await addRules(to === "user" ? files.user : files.project, list, [text], to === "user" ? 0o600 : 0o644);
      if (to === "project" && list === "allow") await trustProject(files);
      const added = (await all(place)).find(
        ({ shown }) => shown.list === list && shown.source === to && shown.rule === shownValue(value),
      );
      if (added === undefined) throw new AppError("E_INTERNAL", `the rule was stored but not found again: ${text}`);
      return added.shown;
    },
    permissionRevoke: async (n, place) => {
      const found = (await all(place)).find(({ shown }) => shown.n === n);
      if (found === undefined)
        throw new AppError("E_NOT_FOUND", `no such rule: ${n}`, { hint: "agent permissions list shows the numbers" });
      await revoke(deps, found, place, rootOf);
      return found.shown;
    },
    ...trusting(look),
    permissionSwitches: async (session, change) => {
      const root = await rootOf(session);
      if (change === undefined) return switchesOf(await deps.book.of(root));
      const grants = await deps.book.change(root, (before) => ({ ...before, ...change }));
      if (change.yolo !== undefined) await deps.tellYolo(session, change.yolo);
      return switchesOf(grants);
    },
  };
}

interface Looked extends Scoped {
  readonly root: SessionId | undefined;
  readonly grants: Grants;
}

function trusting(
  look: (place: PermissionPlace) => Promise<Looked>,
): Pick<PermissionsApi, "permissionTrust" | "permissionUntrust"> {
  return {
    permissionTrust: async (place) => {
      const { files } = await look(place);
      await trustProject(files);
      const { scope } = await look(place);
      return scope.rules.rules
        .filter((rule) => rule.source === "project" && rule.list === "allow")
        .map((rule) => shownRule(rule));
    },
    permissionUntrust: async (place) => untrustProject((await look(place)).files),
  };
}

const switchesOf = ({ yolo, mode, edits }: Grants): SessionSwitches => ({
  ...(yolo === undefined ? {} : { yolo }),
  ...(mode === undefined ? {} : { mode }),
  ...(edits === undefined ? {} : { edits }),
});

interface Numbered {
  readonly shown: ListedRule;
  readonly rule: SourcedRule;
}

/** A value that was parsed as a rule before. */
const shownValue = (value: unknown): string => (typeof value === "string" ? value : ruleText(value as RuleValue)); // parseRuleEntry took it

function listRules(deps: Pick<PermissionsDeps, "uses">, { scope, root, grants }: Looked): readonly Numbered[] {
  const filed = [...scope.rules.rules.filter((rule) => rule.source !== "command line"), ...scope.rules.untrusted];
  const rules = [...filed, ...(scope.grants ?? [])];
  return rules.map((rule, index) => {
    const used =
      rule.source === "session" ? grants.rules.find((one) => one.value === rule.value)?.used : deps.uses.last(rule);
    const shown: ListedRule = {
      n: index + 1,
      list: rule.list,
      rule: shownRule(rule),
      last_used: used ?? null,
      source: rule.source === "user" || rule.source === "project" ? rule.source : "session",
      where: rule.at?.file ?? root ?? "",
      counts: !scope.rules.untrusted.includes(rule),
    };
    return { shown, rule };
  });
}

/** @throws E_USAGE */
function ruleLine(list: ListedRule["list"], value: unknown): string {
  const parsed = parseRuleEntry({ list, value });
  if (typeof parsed === "string")
    throw new AppError("E_USAGE", `invalid ${list} rule: ${parsed}`, {
      hint: "agent help permissions describes the rule syntax",
    });
  return ruleText(value as RuleValue); // parseRuleEntry took it
}

type RootOf = (session: SessionId) => Promise<SessionId>;

async function grantFor(
  deps: PermissionsDeps,
  place: PermissionPlace,
  { list, value }: { readonly list: ListedRule["list"]; readonly value: unknown },
  rootOf: RootOf,
): Promise<void> {
  if (place.session === undefined) throw new AppError("E_USAGE", "no session for a session rule");
  if (list !== "allow")
    throw new AppError(
      "E_USAGE",
      `a rule that ${list === "deny" ? "denies" : "asks"} must be stored for the user or project`,
    );
  const at = deps.clock.now();
  await deps.book.change(await rootOf(place.session), (grants) => withRules(grants, [value], at));
}

async function revoke(
  deps: PermissionsDeps,
  { rule }: Numbered,
  place: PermissionPlace,
  rootOf: RootOf,
): Promise<void> {
  if (rule.at !== undefined) return removeRule(rule.at.file, rule.list, rule.at.index, rule.value);
  if (place.session === undefined) return;
  const same = JSON.stringify(rule.value);
  await deps.book.change(await rootOf(place.session), (grants) => ({
    ...grants,
    rules: grants.rules.filter((one) => JSON.stringify(one.value) !== same),
  }));
}

const untrusted = (file: string) =>
  new AppError("E_CONFLICT", `${file} has untrusted rules, and adding one would trust all of them`, {
    hint: "agent permissions list lists them, agent permissions trust trusts them",
  });
