import { toAppError } from "../base/errors.js";
import { watchFiles } from "../base/watch.js";
import type { Host } from "./host.js";

/** A file that is being written looks broken for a moment; what it says counts when it rests. */
const REST_MS = 200;

/** Apply config.yaml and `.env` whenever they change. @returns stops watching */
export function watchSettings({ app, config }: Host): () => void {
  const { home, clock, log } = app.options;
  let due: (() => void) | undefined;
  const apply = () => {
    config.reload().then(
      () => {
        const problems = config.problems();
        if (problems.length === 0) log.info("settings were read again");
        for (const problem of problems) log.warning(problem);
      },
      (error: unknown) => log.error("settings could not be read", { error: toAppError(error).message }),
    );
  };
  const rest = () => {
    due?.();
    due = clock.after(REST_MS, apply);
  };
  const stop = watchFiles([home.config, home.env], rest, (error) =>
    log.warning("changed settings count from the next start on: their directory cannot be watched", { error: error.message }),
  );
  return () => {
    due?.();
    stop();
  };
}
