import { dirname } from "node:path";
import { toAppError } from "../base/errors.js";
import type { Host } from "./host.js";

/** A file that is being written looks broken for a moment; what it says counts when it rests. */
const REST_MS = 200;

/** Apply config.yaml and `.env` whenever they change. The directory is watched: editors replace files. */
export async function watchSettings({ app, config }: Host): Promise<() => Promise<void>> {
  const { home, clock, log } = app.options;
  const { watch } = await import("chokidar");
  const wanted = new Set([home.config, home.env]);
  const watcher = watch(dirname(home.config), {
    depth: 0,
    ignoreInitial: true,
    ignored: (path, stats) => stats?.isFile() === true && !wanted.has(path),
  });
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
  watcher.on("all", (_event, path) => {
    if (!wanted.has(path)) return;
    due?.();
    due = clock.after(REST_MS, apply);
  });
  return async () => {
    due?.();
    await watcher.close();
  };
}
