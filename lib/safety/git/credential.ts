import type { Spawner } from "../../base/process/spawn.js";
import type { Clock } from "../../base/time/clock.js";
import type { Ms } from "../../base/units.js";

/** What the person's credential helpers know of one address. */
export interface GitCredential {
  readonly username: string;
  readonly password: string;
}

export interface CredentialPorts {
  readonly spawner: Spawner;
  readonly clock: Clock;
  /** The person's own environment. */
  readonly env: Readonly<Record<string, string>>;
}

const LIMIT_MS: Ms = 15_000;
const GRACE_MS: Ms = 500;
const MAX_BYTES = 64 * 1024;

/**
 * Ask the person's credential helpers, outside any repository; nothing is asked at a terminal. Undefined: they know none.
 * @param settings `credential.*` settings of the repository, each once judged: name and value
 */
export async function fillCredential(
  { spawner, clock, env }: CredentialPorts,
  address: { readonly protocol: string; readonly host: string; readonly path: string; readonly user?: string },
  settings: readonly (readonly [key: string, value: string])[],
): Promise<GitCredential | undefined> {
  const pairs = settings.flatMap(([key, value], n) => [
    [`GIT_CONFIG_KEY_${n}`, key] as const,
    [`GIT_CONFIG_VALUE_${n}`, value] as const,
  ]);
  const child = await spawner.spawn({
    file: "git",
    args: ["credential", "fill"],
    cwd: "/",
    env: {
      ...env,
      ...Object.fromEntries(pairs),
      GIT_CONFIG_COUNT: String(settings.length),
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: "false",
      SSH_ASKPASS: "false",
      GCM_INTERACTIVE: "never",
    },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "ignore",
    endsWithOwner: true,
  });
  const pieces: Buffer[] = [];
  let bytes = 0;
  child.onOutput((chunk) => {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) pieces.push(chunk);
  });
  const cancel = clock.after(LIMIT_MS, () => void spawner.endGroup(child.pid, GRACE_MS));
  child.write(describe(address));
  child.closeInput();
  const exit = await child.exited;
  await child.closed;
  cancel();
  return exit.code === 0 ? parseCredential(Buffer.concat(pieces).toString("utf8")) : undefined;
}

function describe({ protocol, host, path, user }: Parameters<typeof fillCredential>[1]): string {
  const lines = [`protocol=${protocol}`, `host=${host}`, `path=${path}`];
  if (user !== undefined) lines.push(`username=${user}`);
  return `${lines.join("\n")}\n\n`;
}

function parseCredential(text: string): GitCredential | undefined {
  const values = new Map(
    text.split("\n").map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  const username = values.get("username");
  const password = values.get("password");
  return username === undefined || password === undefined || password === "" ? undefined : { username, password };
}
