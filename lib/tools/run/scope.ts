import { statPathSync } from "../../base/fs/files.js";
import { absolutePath, type PathScope, projectRoot, userHomeOf } from "../../safety/paths/paths.js";
import { placeholders } from "../../safety/redact/lineage.js";
import { privateTmp, resolveCagedPath } from "../core/caged.js";
import type { PermissionAnswer, ToolContext, ToolResult } from "../core/define.js";
import { jsonResult } from "./execute.js";

/** What the path guards need to know of a call. */
export function scopeOf(ctx: ToolContext, crossProfile = false): PathScope {
  const userHome = userHomeOf(ctx.env);
  const scope = {
    home: ctx.home,
    userHome,
    project: projectRoot(ctx.state.launchDir, userHome),
    env: ctx.env,
    crossProfile,
    ...ownTmp(ctx),
  };
  const view = ctx.reach?.limits()?.home;
  // A child keeps its large results in a folder of its own.
  return view === undefined
    ? scope
    : { ...scope, view: { ...view, dirs: [...view.dirs, ...(ctx.resultDir ? [ctx.resultDir] : [])] } };
}

const ownTmp = (ctx: ToolContext): Pick<PathScope, "ownTmp"> => {
  const tmp = privateTmp(ctx);
  return tmp === undefined ? {} : { ownTmp: tmp.dir };
};

/** A path as the model wrote it, made absolute against the live directory. */
export function pathOf(given: string, ctx: ToolContext): string {
  return resolveCagedPath(absolutePath(given, ctx.state.cwd, userHomeOf(ctx.env)), ctx);
}

/** The live directory while it exists; where it is gone, the directory in which the conversation began. */
export function liveDirectory(ctx: ToolContext): string {
  const facts = statPathSync(resolveCagedPath(ctx.state.cwd, ctx));
  if (facts?.kind !== "directory") ctx.state.cwd = ctx.state.launchDir;
  return ctx.state.cwd;
}

/** A failure that the model reads, as one JSON object. */
export function toFailureResult(error: string, more: Readonly<Record<string, unknown>> = {}): ToolResult {
  return { text: jsonResult({ error, ...more }), status: "error" };
}

/** What a call without permission answers. */
export function toRefusalResult(
  answer: Extract<PermissionAnswer, { allowed: false }>,
  fields: Readonly<Record<string, unknown>> = {},
): ToolResult {
  return {
    text: jsonResult({ ...fields, error: answer.message, status: answer.status }),
    status: answer.status,
    ...(answer.rule === undefined ? {} : { ruleToAllow: answer.rule }),
  };
}

/**
 * A placeholder of this conversation whose value is not known any more, which must not become the content of a file. Its own placeholders
 * pass through redaction unchanged, while a text that only looks like one does not.
 */
export function lostPlaceholder(texts: readonly (string | undefined)[], ctx: ToolContext): string | undefined {
  const marks = texts.flatMap((text) => (text === undefined ? [] : placeholders(text)));
  const redacts = marks.length > 0 && ctx.redact("«secret:none:0»") !== "«secret:none:0»";
  const lost = redacts ? marks.find((mark) => ctx.redact(mark.text) === mark.text) : undefined;
  return lost === undefined
    ? undefined
    : `the value of ${lost.text} is not known any more; read the source of the secret again, then repeat`;
}
