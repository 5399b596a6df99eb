import { basename, relative } from "node:path";
import type { Cage } from "../../safety/cage/cage.js";
import type { CageChoice } from "../../safety/cage/cages.js";
import { findRealPlace, type PrivateTmp, showAsTmp } from "../../safety/cage/temporary.js";
import type { CageUse } from "../../safety/cage/types.js";
import { isWithin } from "../../safety/paths/paths.js";
import type { ToolContext } from "./define.js";

/**
 * How the commands of this call run. Without a port for cages: as they are.
 *
 * @param clients of the outside that a command may start, by name
 */
export function chooseCage(ctx: ToolContext, clients: readonly string[] = []): Promise<CageChoice> {
  const { cages } = ctx.ports;
  return cages === undefined ? Promise.resolve(NO_PORT) : cages.choose({ ...cageUse(ctx), clients });
}

const NO_PORT: CageChoice = {
  how: "free",
  status: { on: false, kind: "off", why: "this process has no cages", remedy: "" },
};

/** Whom the cage of a conversation is for. */
function cageUse(ctx: Pick<ToolContext, "state" | "env" | "resultDir" | "session">): CageUse {
  return { directory: ctx.state.launchDir, lineage: lineageOf(ctx), env: ctx.env };
}

/** Name of the lineage, as its folders in the cache have it. */
export const lineageOf = (ctx: Pick<ToolContext, "resultDir" | "session">): string =>
  basename(ctx.resultDir ?? ctx.session);

/** The lineage's `/tmp`, where commands are caged. */
export function privateTmp(
  ctx: Pick<ToolContext, "ports" | "state" | "env" | "resultDir" | "session">,
): PrivateTmp | undefined {
  const { cages } = ctx.ports;
  if (cages?.known() !== true) return undefined;
  const use = cageUse(ctx);
  return { dir: cages.tmpOf(use.lineage), kept: () => cages.visible(use) };
}

/** Where an absolute path of a tool's arguments lies on this machine. */
export function resolveCagedPath(path: string, ctx: Parameters<typeof privateTmp>[0]): string {
  const tmp = privateTmp(ctx);
  return tmp === undefined ? path : findRealPlace(path, tmp);
}

/** How commands in the cage know a place of this machine. */
export function insideView(path: string, ctx: Parameters<typeof privateTmp>[0]): string {
  const tmp = privateTmp(ctx);
  return tmp !== undefined && isWithin(path, tmp.dir) ? showAsTmp(path, tmp.dir) : path;
}

/** Where one command runs. */
export type CommandPlace =
  | { readonly how: "inside"; readonly cage: Cage }
  /** `pristine`: there is a cage, and this command runs outside of it: nothing that was exported inside reaches it. */
  | { readonly how: "outside"; readonly pristine: boolean }
  | { readonly how: "refused"; readonly message: string };

/** @param outside what the answer to the question says */
export function placeFor(choice: CageChoice, outside: boolean): CommandPlace {
  if (choice.how === "refused") return { how: "refused", message: choice.message };
  if (choice.how === "free") return { how: "outside", pristine: false };
  return outside ? { how: "outside", pristine: true } : { how: "inside", cage: choice.cage };
}

const REFUSED = /Read-only file system|EROFS|Device or resource busy|could not lock config file/;

/** What the model should know of a caged command that failed because of the cage. */
export function cageHint(command: string, output: string, { plan }: Cage): { hint?: string } {
  const secret = plan.secret.find((path) => `${command}\n${output}`.includes(basename(path)));
  if (secret !== undefined) return { hint: secretHint(relative(plan.project, secret)) };
  return REFUSED.test(output) ? { hint: CAGE_HINT } : {};
}

const CAGE_HINT =
  "commands run in a cage: they write the project, /tmp and package caches; git settings, hooks and .env files are read-only. " +
  "If this has to be done outside the cage, call again with outside: true and a reason";

const secretHint = (path: string) =>
  `${path} is empty and read-only in the cage, because it holds secrets. If this command needs what it holds, ask the user to run: ` +
  `agent permissions allow 'read:${path}'`;
