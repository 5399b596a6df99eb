import { setAmbiguousWidth } from "../draw/width.js";
import type { State } from "../model/state.js";
import { attention, BELL, notification, titleSequence } from "../outside/notify.js";
import { type Given, lookOf, sameLook, titleOf } from "./look.js";
import type { Surface } from "./surface.js";
import type { Modes, Output } from "./terminal.js";

/** What follows from the state beside the cells: colours, modes, title. Whatever did not change is not sent. */
export interface TerminalChrome {
  changed(before: State, now: State): void;
  /** Another program had the terminal. */
  again(state: State): void;
}

/** Of output other than a terminal. */
export const NO_CHROME: TerminalChrome = { changed: () => undefined, again: () => undefined };

interface Parts extends Given {
  readonly tty: { readonly output: Output };
}

export function createChrome(screen: Pick<Surface, "look">, modes: Modes, options: Parts): TerminalChrome {
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
