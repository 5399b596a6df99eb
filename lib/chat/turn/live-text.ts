import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";
import type { RedactStream } from "../../safety/redact/redact.js";

/** A pause of the model after which a text that ends on a word border is shown (core part, 22.3). */
const PAUSE: Ms = 250;

/** Pieces that come within this time of what was shown last are shown together: a screen draws half as often, and each telling costs. */
const GATHER: Ms = 16;

/** Text of a model as front ends get it while it streams. */
export interface LiveText {
  add(text: string): void;
  /** What is gathered is shown now: another event follows. */
  flush(): void;
  /** The rest is shown. */
  end(): void;
  /** What was shown is void; what was held back never was. */
  reset(): void;
}

/** Show `text` without secrets, wherever the pieces are cut. */
export function liveText(clock: Clock, redacting: () => RedactStream, show: (text: string) => void): LiveText {
  let stream = redacting();
  let held = "";
  let came: Ms = 0;
  let shown: Ms = -GATHER;
  const gathering = oneTimer(clock);
  const pausing = oneTimer(clock);
  const tell = (text: string) => {
    if (text !== "") show(text);
  };
  const push = () => {
    gathering.stop();
    const piece = held;
    held = "";
    shown = clock.mono();
    tell(stream.push(piece));
  };
  const pause = () => {
    const left = came + PAUSE - clock.mono();
    if (left > 0) pausing.start(left, pause);
    else tell(stream.pause());
  };
  const stop = () => {
    gathering.stop();
    pausing.stop();
  };
  return {
    add: (text) => {
      came = clock.mono();
      held += text;
      const wait = shown + GATHER - came;
      if (wait <= 0) push();
      else gathering.start(wait, push);
      pausing.start(PAUSE, pause);
    },
    flush: () => {
      if (held !== "") push();
    },
    end: () => {
      stop();
      tell(stream.push(held) + stream.end());
      held = "";
    },
    reset: () => {
      stop();
      held = "";
      stream = redacting();
    },
  };
}

/** A timer that runs once at a time: a start while it runs changes nothing. */
function oneTimer(clock: Clock) {
  let cancel: (() => void) | undefined;
  return {
    start: (ms: Ms, then: () => void) => {
      cancel ??= clock.after(ms, () => {
        cancel = undefined;
        then();
      });
    },
    stop: () => {
      cancel?.();
      cancel = undefined;
    },
  };
}
