import * as z from "zod";
import { toAppError } from "../../base/errors.js";
import type { Ms } from "../../base/units.js";
import { isAllowed } from "../../commands/slash/surfaces.js";
import { commandIn } from "../../gateway/commands.js";
import type { RouterDeps } from "../../gateway/router.js";
import type { Inbound } from "../../proto/gateway.js";
import type { ChatMember } from "../../proto/slash.js";
import { childEnv } from "../../safety/env.js";
import { waitForChild } from "../../tools/child.js";
import { logRedactor } from "../gate.js";
import type { AppOptions } from "../options.js";
import { frontOf } from "./conversations.js";

export interface QuickDeps {
  readonly options: AppOptions;
  readonly memberOf: (event: Inbound) => ChatMember;
  /** Own name of a command that there is; those of the user never stand before it. */
  readonly nameOf: (typed: string) => string | undefined;
}

const Quick = z.discriminatedUnion("type", [
  z.object({ type: z.literal("exec"), command: z.string().min(1) }),
  z.object({ type: z.literal("alias"), target: z.string().min(1) }),
]);

const LIMIT_MS: Ms = 30_000;
const OUTPUT_CHARS = 16_000;

/** Commands of the user's own, `quick_commands.<name>`, behind those that there are (core part, 14.4). Who may run them is asked as for any other. */
export function withQuickCommands(run: RouterDeps["command"], deps: QuickDeps): RouterDeps["command"] {
  return async (event, sessionKey) => {
    const name = commandIn(event) ?? "";
    const quick = deps.nameOf(name) === undefined ? quickOf(deps, name) : undefined;
    if (quick === undefined) return run(event, sessionKey);
    if (quick.type === "wrong") return `⚠️ ${quick.why}`;
    const rest = event.text.replace(/^\S+\s*/, "");
    if (quick.type === "alias") return run({ ...event, text: `/${`${quick.target.replace(/^\//, "")} ${rest}`.trim()}` }, sessionKey);
    const member = deps.memberOf(event);
    if (member.tier === "member" && !isAllowed({ path: name }, member)) return `⛔ you may not use /${name} here`;
    return carriedOut(deps.options, event, quick.command);
  };
}

function quickOf(
  { options }: QuickDeps,
  name: string,
): z.output<typeof Quick> | { readonly type: "wrong"; readonly why: string } | undefined {
  const all = options.config.raw("quick_commands");
  const value: unknown = typeof all === "object" && all !== null && Object.hasOwn(all, name) ? Reflect.get(all, name) : undefined;
  if (value === undefined) return undefined;
  const read = Quick.safeParse(value);
  if (read.success) return read.data;
  return { type: "wrong", why: `quick_commands.${name} has to be {type: exec, command} or {type: alias, target}` };
}

async function carriedOut(options: AppOptions, event: Inbound, command: string): Promise<string> {
  const { spawner, clock, ids, net, config, home } = options;
  const { cwd, env } = frontOf(event, options);
  const never = new AbortController().signal;
  let said = "";
  try {
    const child = await spawner.spawn({
      ...{ file: "/bin/sh", args: ["-c", command], cwd, env: childEnv(env, config), forPerson: true },
      ...{ stdin: "ignore", stdout: "pipe", stderr: "pipe" },
    });
    child.onOutput((chunk) => {
      if (said.length < OUTPUT_CHARS) said += chunk.toString("utf8");
    });
    const { how, exit } = await waitForChild({ ports: { spawner, clock, ids, net }, signal: never }, child, LIMIT_MS, "nothing");
    const text = logRedactor(config, home)(said.slice(0, OUTPUT_CHARS)).trim();
    const end =
      how === "timeout" ? `it took longer than ${LIMIT_MS / 1000} s` : exit.code === 0 ? "" : `exit code ${exit.code ?? exit.signal}`;
    return [text === "" ? "(no output)" : text, ...(end === "" ? [] : [`⚠️ ${end}`])].join("\n");
  } catch (error) {
    return `⚠️ ${toAppError(error).message}`;
  }
}
