import type { WatchedEdit } from "../../contracts/owner/language-servers.js";
import type { ToolContext } from "../core/define.js";
import { toUnixLineEnds } from "../run/codec.js";
import { toFileStamp } from "../run/ledger.js";
import { type Lint, lintText } from "./lint.js";
import { type FileBeforeEdit, holdsBinary, readForEdit } from "./store.js";

/** What is ready when an edit may be written. */
export interface Prepared {
  readonly watch: WatchedEdit | undefined;
  /** The files are as they were looked at. The servers may have taken seconds, and others write as well. */
  readonly same: boolean;
}

/**
 * Have language servers take their baseline of files that are about to be written.
 *
 * @throws the signal's reason when the call was interrupted meanwhile: nothing is written then
 */
export async function watchEdit(ctx: ToolContext, files: readonly FileBeforeEdit[]): Promise<Prepared> {
  const { diagnostics } = ctx.ports;
  const texts = files.filter((file) => !holdsBinary(file)).map((file) => ({ path: file.path, before: textOf(file) }));
  if (diagnostics === undefined || texts.length === 0) return { watch: undefined, same: true };
  const watch = await diagnostics.watch({
    files: texts,
    launchDir: ctx.state.launchDir,
    env: ctx.env,
    signal: ctx.signal,
  });
  ctx.signal.throwIfAborted();
  return { watch, same: (await Promise.all(files.map((file) => isSame(file, ctx)))).every(Boolean) };
}

async function isSame({ path, facts }: FileBeforeEdit, ctx: ToolContext): Promise<boolean> {
  const file = await readForEdit(path, ctx);
  if (typeof file === "string") return false; // the next look reports why
  const now = file.facts;
  return now === undefined || facts === undefined ? now === facts : toFileStamp(now) === toFileStamp(facts);
}

/** Line ends are all one to a language server, and to the next comparison with what it knows. */
const textOf = (file: FileBeforeEdit) => (file.facts === undefined ? undefined : toUnixLineEnds(file.decoded.text));

/** One file of an edit that was made: its text as stored now, undefined when it is gone. */
export interface EditMade {
  readonly path: string;
  readonly before: string | undefined;
  readonly after: string | undefined;
}

export interface EditChecks {
  /** Of the files that are there and have changed, in order. */
  readonly lints: readonly { readonly path: string; readonly lint: Lint }[];
  readonly lsp_diagnostics?: string;
}

/** Check the syntax of what was written, and where it is right ask the language servers what the edit broke (core part, 18.2 and 19.1). */
export async function checkFileEdit(
  ctx: ToolContext,
  watch: WatchedEdit | undefined,
  made: readonly EditMade[],
): Promise<EditChecks> {
  const lints: { path: string; lint: Lint }[] = [];
  for (const { path, before, after } of made) {
    if (after === undefined) continue;
    lints.push({ path, lint: await lintText({ path, before, after, covered: watch?.covers(path) === true }, ctx) });
  }
  const wrong = lints.some(({ lint }) => lint.status === "error");
  if (watch === undefined || wrong) return { lints };
  const found = await watch.introduced(
    new Map(made.map(({ path, after }) => [path, after === undefined ? undefined : toUnixLineEnds(after)])),
    ctx.signal,
  );
  return found === undefined ? { lints } : { lints, lsp_diagnostics: found };
}
