import { attention } from "../app/attention.js";
import { type Given, lookOf, sameLook, titleOf } from "../draw/look.js";
import { setAmbiguousWidth } from "../draw/width.js";
import type { State } from "../model/state.js";
import { BELL, notification, titleSequence } from "../outside/notify.js";
import type { Surface } from "./surface.js";
import type { Modes, Output } from "./terminal.js";

/** What follows from the state beside the cells: colours, modes, title. Whatever did not change is not sent. */
export interface Outfit {
  changed(before: State, now: State): void;
  /** The terminal was somebody else's. */
  again(state: State): void;
}

/** Of output that is no terminal. */
export const NO_OUTFIT: Outfit = { changed: () => undefined, again: () => undefined };

interface Parts extends Given {
  readonly tty: { readonly output: Output };
}

export function createOutfit(screen: Pick<Surface, "look">, modes: Modes, options: Parts): Outfit {
  const title = (text: string | undefined) => {
    if (text !== undefined) options.tty.output.write(titleSequence(text));
  };
  const dressed = (before: State, now: State) => {
    const look = lookOf(now, options);
    if (!sameLook(lookOf(before, options), look)) screen.look(look);
    setAmbiguousWidth(now.display.ambiguousWidth);
    modes.want("mouse", now.display.mouse);
    modes.want("kitty", now.terminal.kitty);
  };
  return {
    changed: (before, now) => {
      if (before.display !== now.display || before.terminal !== now.terminal) dressed(before, now);
      const text = titleOf(now);
      if (text !== titleOf(before)) title(text);
      const wanted = attention(before, now);
      if (wanted) options.tty.output.write("ring" in wanted ? BELL : notification(wanted.text, options.env));
    },
    again: (state) => title(titleOf(state)),
  };
}
