import { ownForLong } from "../lib/app/process/long-owner.js";
import { nextTurn } from "../lib/base/async/next-turn.js";
import { refuseWrongOptions } from "../lib/commands/conversation/conversation.js";
import type { Front } from "../tui/terminal/terminal.js";
import type { WorkspaceCommand } from "./local-owner.js";

/** Open the workspace: as the owner when there is none, else attached to it. Whoever owns the home is asked while the screen is loaded. */
export async function openScreen(command: WorkspaceCommand, front: Front): Promise<number> {
  const { home, version, globals } = command;
  refuseWrongOptions(globals, home);
  const meeting = ownForLong(home, { kind: "workspace", version });
  meeting.catch(() => undefined); // thrown below
  await nextTurn(); // loading holds everything up: in between, what has come from the socket is answered
  const { loadLibrary, runWorkspace } = await import("./workspace.js"); // both from one: a chunk of its own would make calls within the screen slower
  await nextTurn();
  if (front === "screen") await loadLibrary();
  return await runWorkspace(command, front, await meeting);
}
