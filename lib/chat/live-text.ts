import type { Clock } from "../base/clock.js";
import type { Ms } from "../base/units.js";
import type { RedactStream } from "../safety/redact.js";

/** A pause of the model after which a text that ends on a word border is shown (core part, 22.3). */
const PAUSE: Ms = 250;

/** Text of a model as front ends get it while it streams. */
export interface LiveText {
  add(text: string): void;
  /** The rest is shown. */
  end(): void;
  /** What was shown is void; what was held back never was. */
  reset(): void;
}

/** Show `text` without secrets, wherever the pieces are cut. */
export function liveText(clock: Clock, redacting: () => RedactStream, show: (text: string) => void): LiveText {
  let stream = redacting();
  let last = 0;
  let cancel: (() => void) | undefined;
  const tell = (text: string) => {
    if (text !== "") show(text);
  };
  const stop = () => {
    cancel?.();
    cancel = undefined;
  };
  const watch = (ms: Ms) => {
    cancel ??= clock.after(ms, () => {
      cancel = undefined;
      const left = last + PAUSE - clock.mono();
      if (left > 0) watch(left);
      else tell(stream.pause());
    });
  };
  return {
    add: (text) => {
      last = clock.mono();
      tell(stream.push(text));
      watch(PAUSE);
    },
    end: () => {
      stop();
      tell(stream.end());
    },
    reset: () => {
      stop();
      stream = redacting();
    },
  };
}
