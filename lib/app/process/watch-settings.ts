import { join } from "node:path";
import { toAppError } from "../../base/errors.js";
import { watchFiles, watchNames } from "../../base/time/watch.js";
import { REST_MS } from "../../config/load-config.js";
import { tellDisplay } from "../../rpc/screen/display-methods.js";
import type { Host } from "../owner-process.js";

/**
 * Apply config.yaml and `.env` whenever they change, and tell each problem of theirs once for as long as it is there.
 *
 * @returns stops watching
 */
export function watchSettings({ app, config }: Host): () => void {
  const { home, clock, log } = app.options;
  let due: (() => void) | undefined;
  let told: readonly string[] = [];
  const tell = () => {
    const found = [...config.problems(), ...config.warnings()];
    for (const sentence of found) if (!told.includes(sentence)) log.warning(sentence);
    told = found;
  };
  tell();
  const changed = config.onChange(() => {
    tell();
    if (config.problems().length === 0) log.info("settings were read again");
  });
  const now = () => new Date(clock.now()).toISOString();
  const onError = (error: unknown) =>
    log.error("the screens could not be told of settings", { error: toAppError(error).message });
  const untold = tellDisplay(config, home.dir, { bus: app.bus, now, onError });
  /** A task may have waited for the profile that is there now. */
  const wake = () => {
    app.boards().then(
      ({ dispatcher }) => dispatcher.wake(),
      (error: unknown) =>
        log.error("the dispatcher could not be told of a profile", { error: toAppError(error).message }),
    );
  };
  const apply = () => {
    config
      .reload()
      .catch((error: unknown) => log.error("settings could not be read", { error: toAppError(error).message }));
  };
  const rest = () => {
    due?.();
    due = clock.after(REST_MS, apply);
  };
  const stopProfiles = watchNames(join(home.root, "profiles"), wake, (error) =>
    log.warning("new profiles count at the next pass: their directory cannot be watched", { error: error.message }),
  );
  const stop = watchFiles([home.config, home.env], rest, (error) =>
    log.warning("changed settings count from the next start on: their directory cannot be watched", {
      error: error.message,
    }),
  );
  return () => {
    due?.();
    changed();
    untold();
    stopProfiles();
    stop();
  };
}
