import { spinner } from "../draw/glyphs.js";
import type { State } from "../model/state.js";
import { chooseTheme } from "../theme/own.js";
import { depthFrom, hasItalic } from "../theme/sgr.js";
import type { Look } from "./screen.js";

/** What decides about colours beside the settings. */
export interface Given {
  /** `--color`. */
  readonly color: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** How the screen looks in this state. Where ambiguous signs are two cells wide, frames can be drawn in ASCII only. */
export function lookOf({ display, terminal }: State, { color, env }: Given): Look {
  const depth = depthFrom(color ?? display.color, env);
  const { palette } = chooseTheme(display.theme, display.themes, terminal.background);
  return {
    depth,
    palette,
    ascii: display.ascii || display.ambiguousWidth === 2,
    links: display.hyperlinks,
    ...(display.pictures === "off" ? {} : { pictures: display.pictures }),
    italic: hasItalic(env),
  };
}

export const sameLook = (one: Look, other: Look): boolean =>
  one.depth === other.depth &&
  one.palette === other.palette &&
  one.ascii === other.ascii &&
  one.links === other.links &&
  one.pictures === other.pictures;

/** What the terminal's title says: whether something runs or waits, and of which conversation. Undefined: the title is left alone. */
export function titleOf(state: State): string | undefined {
  if (!state.display.setTitle) return undefined;
  const mark =
    state.questions.open.length > 0
      ? "? "
      : state.session.turnSince !== undefined
        ? `${spinner({ ...state, now: 0 })} `
        : "✓ ";
  return `${mark}agent${state.session.title === "" ? "" : `: ${state.session.title}`}`;
}
