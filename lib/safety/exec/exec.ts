import { ownWorkBlocked } from "../agent-self/agent-self.js";
import type { ParsedCommand } from "../options/command-line.js";
import { guardWrite } from "../paths/paths.js";
import { repositoryRunsNothing } from "../shell/git-reads.js";
import { readCommandLine, renderSimpleCommand } from "../shell/open.js";
import { isReadOnly } from "../shell/read-only.js";
import { findWriteTargets, isHarmlessDevice } from "../writes/find.js";
import { type Call, type ExecScope, manyTargets, toCall } from "../writes/operands.js";
import { findTakenFiles } from "../writes/trees.js";
import { EASED, type RiskClass, TESTS } from "./classes.js";
import { explainClosedPlace } from "./closed.js";
import { hardlineOf, isForkBomb } from "./hardline.js";
import { isHarmlessCall } from "./harmless.js";
import { changesSecret, readsSecret } from "./secrets.js";

export type { ExecScope } from "../writes/operands.js";
export type { RiskClass } from "./classes.js";

/** Why a command would be asked about. */
export interface Risk {
  readonly class: RiskClass;
  /** For the question and the refusal: what, and in which part of the line. */
  readonly text: string;
  /** Index of the simple command; undefined when it is the line as a whole. */
  readonly command: number | undefined;
  /** Only running the line would tell: the text leaves it open. */
  readonly unsure?: true;
  /** It asks in a cage, too, and runs outside once a person allows it: the cage hides what it reads. */
  readonly firm?: true;
}

/** A command line, read but not run. */
export interface Inspected {
  readonly parsed: ParsedCommand;
  readonly calls: readonly Call[];
  /** What no setting allows; the text names it. */
  readonly blocked: string | undefined;
  readonly risks: readonly Risk[];
  readonly readOnly: boolean;
}

const PLACEHOLDER = /«secret:[a-z_]+:\d+»/;

/** Everything that permissions need to know of a command line. Nothing is run; files are only looked at by name. */
export function inspect(command: string, scope: ExecScope): Inspected {
  const parsed = readCommandLine(command, { cwd: scope.cwd, userHome: scope.userHome, agentHome: scope.home.dir });
  const calls = parsed.commands.map(toCall);
  const many = calls.some((call) => call.program !== "rm" && manyTargets(call));
  const tooMany: readonly Risk[] = many
    ? [{ class: "unparsable", text: "more operands than can be looked at", command: undefined }]
    : [];
  const found = [
    ...tooMany,
    ...lineRisks(parsed, command),
    ...calls.flatMap((call, index) => risksOf(call, index, calls, scope)),
  ];
  const risks = [...found, ...unknownPrograms({ parsed, calls }, found, scope)];
  return {
    parsed,
    calls,
    blocked: blockedBy(parsed, calls, scope, command),
    risks,
    readOnly: isReadOnly(parsed, repositoryRunsNothing),
  };
}

function blockedBy(
  parsed: ParsedCommand,
  calls: readonly Call[],
  scope: ExecScope,
  command: string,
): string | undefined {
  // What is not looked at does not count as harmless, whatever is switched off.
  if (parsed.tooMany) return "BLOCKED: too many commands in one line; put them into a script file and run that";
  if (isForkBomb(parsed, command)) return "BLOCKED (hardline): a function that starts itself without end";
  for (const call of calls) {
    const what = hardlineOf(call, scope);
    if (what !== undefined) return `BLOCKED (hardline): ${what}`;
    if (
      call.program === "sudo" &&
      call.words.some((word) => /^(-[a-zA-Z]*S[a-zA-Z]*|--stdin|-A|--askpass)$/.test(word))
    ) {
      return "BLOCKED: a password is not fed to sudo by a command; ask the user to run it";
    }
    const why = ownWorkBlocked(call, scope) ?? protectedTarget(call, calls, scope);
    if (why !== undefined) return why;
  }
  return explainClosedPlace(calls, command, scope);
}

/** Programs of the table that change modes, open an editor or keep settings of their own: what they write asks and is not refused. */
const NO_COPIES =
  /^(chmod|chown|chgrp|chattr|setfacl|touch|mkdir|mkfifo|mknod|vim?|nvim|view|nano|pico|micro|emacs|npm|pnpm|yarn|bun|pip[\d.]*|cargo|go|uv|gem|composer|dotnet|docker|podman|git|make|gmake|cmake|script|screen|tmux)$/;

/** Redirections and copies into credentials, the system and the agent's own files are refused whatever the rules say (core part, 21.1). */
function protectedTarget(call: Call, calls: readonly Call[], scope: ExecScope): string | undefined {
  for (const path of findTakenFiles(call, calls, scope).paths) {
    const answer = guardWrite(path, scope);
    if (!answer.ok && answer.kind !== "unusable") return answer.why;
  }
  const redirects = call.simple.redirects.some((one) => one.op.includes(">"));
  if (NO_COPIES.test(call.program) && !redirects) return undefined;
  for (const path of findWriteTargets(call, { calls, userHome: scope.userHome }).paths) {
    // Devices have classes of their own, and the hardline.
    if (isHarmlessDevice(path) || path.startsWith("/dev/")) continue;
    const answer = guardWrite(path, scope);
    if (!answer.ok && answer.kind !== "unusable") return answer.why;
  }
  return undefined;
}

function lineRisks(parsed: ParsedCommand, command: string): readonly Risk[] {
  const found: Risk[] = parsed.findings.map((finding) => ({
    class: finding.kind,
    text: finding.text,
    command: undefined,
  }));
  if (PLACEHOLDER.test(command)) found.push({ class: "secret-use", text: "uses a secret", command: undefined });
  return found;
}

function risksOf(call: Call, index: number, all: readonly Call[], scope: ExecScope): readonly Risk[] {
  return TESTS.filter((test) => test.is(call, scope, all)).map((test) => ({
    class: test.class,
    text: `${test.text}: ${renderSimpleCommand(call.simple)}`,
    command: index,
    ...(test.unsure ? { unsure: true as const } : {}),
  }));
}

/** Calls that no class is about and that are not known as harmless (core part 20.1, row 10). */
function unknownPrograms(
  { parsed, calls }: Pick<Inspected, "parsed" | "calls">,
  found: readonly Risk[],
  scope: ExecScope,
): readonly Risk[] {
  const judged = new Set(found.map((risk) => risk.command));
  const firmly = new Set(found.flatMap((risk) => (EASED.has(risk.class) ? [] : [risk.command])));
  const line = { functions: parsed.functions, all: calls };
  return calls.flatMap((call, index): readonly Risk[] => {
    const shown = renderSimpleCommand(call.simple);
    // Code on the command line is found for the line as a whole, and names the call.
    const named = parsed.findings.some(
      (finding) => finding.text.endsWith(`: ${shown}`) || finding.text.includes(`'${shown}'`),
    );
    const secret =
      call.simple.words.length < 100 && (readsSecret(call, scope, calls) || changesSecret(call, scope, calls));
    // What only cannot be judged is eased in a cage: a secret is asked about anyway.
    if (secret ? firmly.has(index) : judged.has(index) || named || isHarmlessCall(call, scope, line)) return [];
    const text = secret ? "reads a file with secrets" : "is not known as harmless within the project";
    return [
      {
        class: "unknown-program",
        text: `${text}: ${shown}`,
        command: index,
        ...(secret ? { firm: true as const } : {}),
      },
    ];
  });
}

/**
 * The line only reads, so it may run beside others that do, and nothing needs to be kept for undoing it. Reads of git count only where the
 * repository of `cwd` names no program; without `cwd` they do not.
 */
export function isReadOnlyCommand(command: string, cwd?: string): boolean {
  const parsed = readCommandLine(command, { cwd: cwd ?? "/", userHome: "/", agentHome: "/" });
  return isReadOnly(parsed, cwd === undefined ? () => false : repositoryRunsNothing);
}

/** Words of the last simple command that the line itself holds, e.g. to tell what its exit code means. */
export function lastSimpleCommand(command: string): readonly string[] {
  const { commands } = readCommandLine(command, { cwd: "/", userHome: "/", agentHome: "/" });
  return commands.at(-1)?.words.map((word) => word.text) ?? [];
}
