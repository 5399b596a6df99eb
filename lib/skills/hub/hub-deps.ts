import type { FileLockDeps } from "../../base/process/file-lock.js";
import type { Config } from "../../contracts/config/config.js";
import type { SkillUsage } from "../../contracts/skills/usage.js";
import type { FetchDeps } from "./fetch.js";

export interface HubDeps extends FetchDeps, FileLockDeps {
  readonly ids: FetchDeps["ids"];
  readonly clock: FetchDeps["clock"];
  readonly spawner: FetchDeps["spawner"];
  readonly config: Pick<Config, "get">;
  readonly userHome: () => string;
  readonly usage: () => Promise<SkillUsage>;
}
