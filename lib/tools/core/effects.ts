import { absolutePath, userHomeOf } from "../../safety/paths/paths.js";
import type { AnyTool, EffectPlace, Effects, ToolContext } from "./define.js";

/** What a call with these arguments touches. @throws what the tool throws for arguments that name nothing */
export function effectsOf(tool: AnyTool, params: unknown, ctx: Pick<ToolContext, "state" | "env">): Effects {
  return tool.effects(params, { cwd: ctx.state.cwd, userHome: userHomeOf(ctx.env) });
}

/** Path as a model wrote it, as an effect: the same for every spelling. */
export const toPathEffect = (kind: "path" | "tree", given: string, { cwd, userHome }: EffectPlace): string =>
  `${kind}:${absolutePath(given, cwd, userHome)}`;

/** Host of an address as an effect, so that rules about hosts are asked. Other text does not have one. */
export const hostOf = (url: string): readonly string[] =>
  URL.canParse(url) ? [`host:${new URL(url).hostname.replace(/\.+$/, "")}`] : [];

/** Hosts among effects. */
export const hostsIn = (effects: readonly string[]): readonly string[] =>
  effects.flatMap((effect) => /^host:(.+)$/.exec(effect)?.[1] ?? []);

/** Absolute paths among effects. */
export const pathsIn = (effects: readonly string[]): readonly string[] =>
  effects.flatMap((effect) => /^(?:path|tree):(.*)$/s.exec(effect)?.[1] ?? []);
