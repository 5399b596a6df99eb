import type { Log, LogSeverity } from "../../base/log/log.js";
import type { Clock } from "../../base/time/clock.js";
import type { PluginLog } from "../../contracts/plugins/context.js";

const LINES_A_MINUTE = 200;
const LINE_CHARS = 2_000;
const MINUTE_MS = 60_000;

/** The log of a plugin. One that floods it is cut, and one line says how much is missing. */
export function boundedLog(log: Log, clock: Clock): PluginLog {
  let since = clock.now();
  let lines = 0;
  let dropped = 0;
  const write = (level: LogSeverity) => (message: unknown) => {
    const now = clock.now();
    if (now - since >= MINUTE_MS || now < since) {
      if (dropped > 0) log.warning("log lines of the plugin were dropped", { dropped });
      since = now;
      lines = 0;
      dropped = 0;
    }
    lines += 1;
    if (lines > LINES_A_MINUTE) {
      dropped += 1;
      if (dropped === 1) log.warning(`the plugin logs more than ${LINES_A_MINUTE} lines a minute; the rest is dropped`);
      return;
    }
    const text = String(message);
    log[level](text.length > LINE_CHARS ? `${text.slice(0, LINE_CHARS)}… (${text.length} characters)` : text);
  };
  return { debug: write("debug"), info: write("info"), warning: write("warning"), error: write("error") };
}
