import { join } from "node:path";
import { createInterface } from "node:readline";
import type { OwnerConnection, Ownership } from "../lib/backplane/elect.js";
import { systemClock } from "../lib/base/time/clock.js";
import type { CallerIo } from "../lib/cli/terminal-caller.js";
import { sessionAsks } from "../lib/commands/conversation/conversation.js";
import { closingLines } from "../tui/app/closing.js";
import { openWorkspace, type WorkspaceExit } from "../tui/app/workspace.js";
import { loadLibrary } from "../tui/terminal/screen.js";
import type { UiMode } from "../tui/terminal/terminal.js";
import { catchErrors } from "./crash.js";
import type { LocalOwner, WorkspaceCommand } from "./local-owner.js";
import { createAttachedRole, createOwningRole, type Role } from "./owner-role.js";
import { createCodePainter } from "./paint-code.js";
import { systemPrograms } from "./programs.js";
import { type ProcessTty, processTty } from "./tty.js";
import { aborted, afterTerminal, renderContinuing } from "./without-screen.js";

export { loadLibrary };

/** Show the workspace until it is left. @param elected what this process is to its home as it begins */
export async function runWorkspace(
  command: WorkspaceCommand,
  front: UiMode,
  elected: Ownership | OwnerConnection,
): Promise<number> {
  const { home, caller } = command;
  const leaving = new AbortController();
  const stopping = new AbortController();
  const end = () => {
    stopping.abort();
    leaving.abort();
  };
  const role =
    elected.role === "owner" ? createOwningRole(command, elected, end) : createAttachedRole(command, elected.met, end);
  const onOutput = (line: string) => role.own()?.host.app.options.log.warning("output beside the screen", { line });
  const tty = processTty({ caller, front, onLost: () => leaving.abort("lost"), onEnd: end, onOutput });
  const unheard = caller.onRestart(() => restartGateway(role));
  const uncaught = catchErrors(home, tty);
  const asked = { ...optionsOf(command, front), ...linesOf(front), ...role };
  const left = await openWorkspace({ ...asked, tty, signal: leaving.signal });
  uncaught();
  unheard();
  await leave({ command, role, tty, stopping }, left);
  return front === "plain" ? exitOf(left.last) : 0;
}

/** SIGUSR1: the gateway starts again, the screen stays. A client does not have one. */
function restartGateway({ own, log }: Role): void {
  own()
    ?.host.app.gateway.restart()
    .catch((error: unknown) => log("failed to restart the gateway", error));
}

/** Where nothing is drawn, whole lines come in: from a pipe, or from a terminal that lets its user edit them. */
function linesOf(front: UiMode) {
  if (front === "screen") return { front };
  if (front === "lines") return { front, source: "inline" as const };
  const lines = createInterface({ input: process.stdin, terminal: false });
  const answers = process.stdin.isTTY === true;
  return { front, lines, answers, source: answers ? ("inline" as const) : ("cli" as const) };
}

/** That of the last turn (core part, 15.2). */
function exitOf(last: WorkspaceExit["last"]): number {
  if (last === undefined) return 0;
  if (last === "refused" || last.failed) return 1;
  if (last.interrupted) return 130;
  return last.denied ? 3 : last.completed ? 0 : 1;
}

/** Output other than a terminal, one without cursor movements and one that is read aloud get no colours unless they are forced. */
const colorOf = ({ globals, caller }: WorkspaceCommand, front: UiMode): string | undefined =>
  text(globals["color"]) ??
  ((process.stdout.isTTY && front !== "plain") || caller.env["FORCE_COLOR"] !== undefined ? undefined : "none");

function optionsOf(command: WorkspaceCommand, front: UiMode) {
  const { home, version, caller, globals } = command;
  return {
    version,
    cwd: caller.cwd,
    env: caller.env,
    color: colorOf(command, front),
    resume: text(globals["resume"]) ?? (typeof globals["continue"] === "string" ? globals["continue"] : undefined),
    asks: sessionAsks(globals),
    programs: systemPrograms(caller.env),
    paintCode: createCodePainter(systemClock),
    clipboardFile: join(home.cache, "clipboard.txt"),
    after: (ms: number, fn: () => void) => systemClock.after(ms, fn),
    mono: () => systemClock.mono(),
    now: () => systemClock.now(),
  };
}

interface Leaving {
  readonly command: WorkspaceCommand;
  readonly role: Role;
  readonly tty: ProcessTty;
  /** The owner is asked to stop. */
  readonly stopping: AbortController;
}

/** What happens once the screen is restored. A terminal that does not read is not written to. */
async function leave({ command, role, tty, stopping }: Leaving, { how, closing }: WorkspaceExit): Promise<void> {
  const { caller } = command;
  const reads = (await tty.close()) && how !== "lost";
  const say = async (line: string) => (reads ? await caller.out(`${line}\n`) : undefined);
  for (const line of closing ? closingLines(closing) : []) await say(line);
  role.client.close();
  const own = await role.left();
  if (own) await endOwner(own, { how, caller, stopping, say });
  if (!reads) process.exit(0); // a waiter for its output would wait for ever
}

interface Ending {
  readonly how: WorkspaceExit["how"];
  readonly caller: CallerIo;
  readonly stopping: AbortController;
  readonly say: (line: string) => Promise<void>;
}

async function endOwner(own: LocalOwner, { how, caller, stopping, say }: Ending): Promise<void> {
  if (how !== "stop") {
    const untaken = caller.takeSignals((name) => (name === "SIGHUP" ? undefined : stopping.abort()));
    if (how === "detach") {
      await say(renderContinuing(await own.host.app.owner.underWay()));
      await aborted(stopping.signal);
    } else await afterTerminal(own, stopping.signal);
    untaken();
  }
  const workers = await own.stop();
  if (workers > 0)
    await say(`${workers} ${workers === 1 ? "run continues" : "runs continue"}; the next \`agent\` adopts them`);
}

const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
