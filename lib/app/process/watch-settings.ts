import { join } from "node:path";
import { toAppError } from "../../base/errors.js";
import { watchDirectories, watchFiles } from "../../base/fs/watch.js";
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
    if (config.problems().length === 0) log.info("settings reloaded");
  });
  const now = () => new Date(clock.now()).toISOString();
  const onError = (error: unknown) =>
    log.error("failed to notify screens of settings", { error: toAppError(error).message });
  const untold = tellDisplay(config, home.dir, { bus: app.bus, now, onError });
  /** A task may have waited for the profile that is there now. */
  const wake = () => {
    app.boards().then(
      ({ dispatcher }) => dispatcher.wake(),
      (error: unknown) =>
        log.error("failed to notify the dispatcher of a profile", { error: toAppError(error).message }),
    );
  };
  const apply = () => {
    config
      .reload()
      .catch((error: unknown) => log.error("failed to read settings", { error: toAppError(error).message }));
  };
  const rest = () => {
    due?.();
    due = clock.after(REST_MS, apply);
  };
  const stopProfiles = watchDirectories(join(home.root, "profiles"), wake, (error) =>
    log.warning("cannot watch the profiles directory; new profiles are found with the next pass", {
      error: error.message,
    }),
  );
  const stop = watchFiles([home.config, home.env], rest, (error) =>
    log.warning("cannot watch the settings directory; changes take effect at the next start", {
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
