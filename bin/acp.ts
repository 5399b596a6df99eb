import { Readable, Writable } from "node:stream";
import { serveEditor } from "../lib/app/acp/serve-acp.js";
import { ownForLong } from "../lib/app/process/long-owner.js";
import type { LocalOwner, WorkspaceCommand } from "./local-owner.js";
import { requireSafeModeOwner } from "./open-screen.js";
import { createAttachedRole, createOwningRole } from "./owner-role.js";
import { afterTerminal } from "./without-screen.js";

/**
 * Serve an editor: as the owner of the home when none runs, else as a client of it; when that one goes, this process may take its place.
 * Standard output belongs to the protocol.
 */
export async function runAcp(given: WorkspaceCommand): Promise<number> {
  const command = { ...given, kind: "acp" };
  const { home, version, caller, globals } = command;
  const elected = await requireSafeModeOwner(await ownForLong(home, { kind: "acp", version }), globals);
  const stopping = new AbortController();
  const end = () => stopping.abort();
  const role =
    elected.role === "owner" ? createOwningRole(command, elected, end) : createAttachedRole(command, elected.met, end);
  role.onShown?.();
  const signal = AbortSignal.any([caller.signal, caller.gone, stopping.signal]);
  await serveEditor({
    client: role.client,
    home,
    version,
    env: caller.env,
    ...(globals["verbose"] === true && { err: caller.err }),
    input: Readable.toWeb(process.stdin),
    output: Writable.toWeb(process.stdout),
    signal,
  });
  role.client.close();
  const own = await role.left();
  if (own !== undefined) await leaveHome(own, signal);
  return 0;
}

/** The home is left at once, unless something else works in this process: it gets the time that a lost terminal gives it. */
async function leaveHome(own: LocalOwner, signal: AbortSignal): Promise<void> {
  const { turns, children, processes } = await own.host.app.owner.underWay();
  if (turns.length + children.length + processes.length > 0) await afterTerminal(own, signal);
  await own.stop();
}
