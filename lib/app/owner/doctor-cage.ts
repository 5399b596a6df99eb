import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeDirectory } from "../../base/fs/files.js";
import { exists, removeTreeSync } from "../../base/fs/home-files.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Check } from "../../contracts/check.js";
import { tryCage } from "../../safety/cage/trial.js";
import { CAGE } from "../../safety/config/keys.js";
import { userHomeOf } from "../../safety/paths/paths.js";

type Needs = Pick<AppOptions, "cages" | "config" | "home" | "spawner" | "clock" | "ids">;

/** The cage, tried as a hostile command would: what must fail inside is one finding each. No findings without an engine. */
export async function examineCage(options: Needs): Promise<readonly Check[]> {
  const { cages, config } = options;
  if (cages === undefined) return [];
  const status = await cages.status();
  if (!status.on) {
    const required = config.get(CAGE.use) === "required";
    const detail = `commands are not sandboxed: ${status.why}${required ? "; terminal.cage is required, so commands are refused" : ""}`;
    return [
      {
        name: "cage",
        status: required ? "fail" : "warn",
        detail,
        ...(status.remedy === "" ? {} : { fix: status.remedy }),
      },
    ];
  }
  const cwd = join(tmpdir(), `agent-doctor-${options.ids.hex(8)}`);
  await makeDirectory(cwd, 0o700);
  try {
    return await examineTrial(options, status.program, cwd);
  } finally {
    removeTreeSync(cwd);
  }
}

async function examineTrial(
  { cages, config, home, spawner, clock }: Needs,
  program: string,
  cwd: string,
): Promise<readonly Check[]> {
  const choice = await cages?.choose({ directory: cwd, lineage: "doctor", env: config.env });
  if (choice?.how !== "caged")
    return [
      { name: "cage", status: "fail", detail: "failed to create the sandbox", fix: "agent status shows the reason" },
    ];
  const secret = [home.env, home.token, home.config, home.sessions].find((path) => exists(path)) ?? home.config;
  const place = { userHome: userHomeOf(config.env), secret, socket: home.socket, pid: process.pid, cwd };
  const found = await tryCage({ spawner, clock }, (spec) => choice.cage.wrap(spec), place);
  if (typeof found === "string")
    return [
      {
        name: "cage",
        status: "fail",
        detail: `the test command failed: ${found}`,
        fix: "repeat agent doctor; terminal.cage: off disables the sandbox",
      },
    ];
  return [
    { name: "cage", status: "ok", detail: `commands run in a sandbox (${program})` },
    ...found.map(({ what, held, detail }): Check => {
      if (held) return { name: "cage", status: "ok", detail: `${what} fails inside (${detail})` };
      return {
        name: "cage",
        status: "fail",
        detail: `${what} succeeds inside the sandbox`,
        fix: "report this; until then set terminal.cage: off and approvals.mode: manual",
      };
    }),
  ];
}
