import { ownForLong } from "../lib/app/process/long-owner.js";
import type { OwnerConnection, Ownership } from "../lib/backplane/elect.js";
import { nextTurn } from "../lib/base/async/next-turn.js";
import { settingsAreRead } from "../lib/cli/execute-command.js";
import { namedSkills, refuseUnknownSkills, refuseWrongOptions } from "../lib/commands/conversation/conversation.js";
import { ignoresConfig } from "../lib/commands/globals.js";
import type { OwnerStatus } from "../lib/contracts/owner/owner.js";
import type { UiMode } from "../tui/terminal/terminal.js";
import type { WorkspaceCommand } from "./local-owner.js";

/** Open the workspace: as the owner when none runs, else attached to it. The owner of the home is asked while the screen is loaded. */
export async function openScreen(command: WorkspaceCommand, front: UiMode): Promise<number> {
  const { home, version, globals } = command;
  refuseWrongOptions(globals);
  await refuseUnknownNames(command);
  const meeting = ownForLong(home, { kind: "workspace", version });
  meeting.catch(() => undefined); // thrown below
  await nextTurn(); // loading holds everything up: in between, what has come from the socket is answered
  const { loadLibrary, runWorkspace } = await import("./workspace.js"); // both from one: a chunk of its own would make calls within the screen slower
  await nextTurn();
  if (front === "screen") await loadLibrary();
  return await runWorkspace(command, front, await requireSafeModeOwner(await meeting, globals));
}

/** A skill that does not exist is refused before there is a screen. @throws E_USAGE */
async function refuseUnknownNames({ home, globals, caller }: WorkspaceCommand): Promise<void> {
  if (namedSkills(globals).length === 0) return;
  const { skillsBeforeOwner } = await import("../lib/app/process/skills-before-owner.js");
  await refuseUnknownSkills({ globals, skills: await skillsBeforeOwner(home, caller.env), ...caller });
}

/** A workspace that asks for defaults attaches to an owner in safe mode only. @throws E_STATE */
export async function requireSafeModeOwner(
  met: Ownership | OwnerConnection,
  globals: WorkspaceCommand["globals"],
): Promise<Ownership | OwnerConnection> {
  if (met.role === "owner" || !ignoresConfig(globals)) return met;
  const { safe_mode } = await met.client.call<OwnerStatus>("owner.status", {});
  if (safe_mode === true) return met;
  met.client.close();
  throw settingsAreRead(globals);
}
