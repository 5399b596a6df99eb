import type { Home } from "../../base/home.js";
import type { Log } from "../../base/log/log.js";
import type { FileLockDeps } from "../../base/process/file-lock.js";
import type { Clock } from "../../base/time/clock.js";
import type { Config } from "../../contracts/config/config.js";
import type { CronApi } from "../../contracts/gateway/cron.js";
import type { AuxClient } from "../../contracts/models/auxiliary.js";
import type { SkillsApi } from "../../contracts/skills/skill.js";
import type { SkillUsage } from "../../contracts/skills/usage.js";
import type { SkillWrites } from "../../contracts/skills/writes.js";

/** What the curator works with. */
export interface CuratorDeps extends FileLockDeps {
  readonly home: Pick<Home, "dir" | "logs">;
  readonly config: Pick<Config, "get">;
  readonly clock: Pick<Clock, "now" | "mono" | "sleep">;
  readonly log: Log;
  readonly catalog: SkillsApi;
  readonly usage: () => Promise<SkillUsage>;
  readonly writes: () => Promise<SkillWrites>;
  /** Undefined: no model is asked. */
  readonly aux: AuxClient | undefined;
  /** Undefined: this process has no scheduled jobs. */
  readonly cron: Pick<CronApi, "list" | "edit"> | undefined;
  readonly redact: (text: string) => string;
  /** Start `agent` with these arguments as a process of its own. Undefined: this process stays, and works here. */
  readonly startProgram: ((args: readonly string[]) => Promise<void>) | undefined;
}
