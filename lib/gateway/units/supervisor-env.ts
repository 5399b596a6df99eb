import { exists } from "../../base/fs/home-files.js";

export type ServiceManager = "systemd" | "other" | undefined;

type Env = Readonly<Record<string, string | undefined>>;

/** Begins the label of the product's own launchd jobs. */
export const LABEL = "ai.agent.gateway";

/** Who starts this process again when it ends (gateway part, 3.5); undefined: it is not supervised. */
export function supervisorOf(
  env: Env,
  pid: number = process.pid,
  inContainer: () => boolean = containerFiles,
): ServiceManager {
  const said = env["AGENT_SUPERVISED"];
  if (said === "0") return undefined;
  if (env["INVOCATION_ID"]) return "systemd";
  if (said === "1" || env["XPC_SERVICE_NAME"]?.startsWith(LABEL) === true) return "other";
  return pid === 1 && inContainer() ? "other" : undefined;
}

const containerFiles = (): boolean => exists("/.dockerenv") || exists("/run/.containerenv");
