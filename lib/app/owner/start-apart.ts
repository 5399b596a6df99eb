import type { AppOptions } from "../../config/app-options.js";

/** Start this program with other arguments on the same home, as a process of its own: it outlives this one, and says nothing. */
export async function startApart(
  { home, config, spawner }: Pick<AppOptions, "home" | "config" | "spawner">,
  args: readonly string[],
): Promise<void> {
  const env = Object.entries(config.env).flatMap(([name, value]) =>
    value === undefined || name === "AGENT_PROFILE" ? [] : [[name, value] as const],
  );
  const child = await spawner.spawn({
    file: process.execPath,
    args: [process.argv[1] ?? "agent", ...args],
    cwd: home.dir,
    env: { ...Object.fromEntries(env), AGENT_HOME: home.dir },
    stdin: "ignore",
    stdout: "ignore",
    stderr: "ignore",
  });
  child.unref();
}
