import type { Check } from "../../contracts/check.js";
import type { GatewayStatus, PlatformStatus } from "../../contracts/gateway/api.js";

/** What is wrong with a running gateway, a sentence each: its state, platforms that are not connected, settings, stores. */
export function findGatewayProblems(status: GatewayStatus): readonly string[] {
  const failing = Object.entries(status.platforms).filter(([, one]) => isFailing(one));
  return [
    ...(status.state === "degraded" ? ["the gateway is degraded: no platform is connected"] : []),
    ...failing.map(([tag, one]) => `${tag} is not connected: ${describeFault(one)}`),
    ...status.problems,
  ];
}

/**
 * The rows of `agent doctor` about the gateway of a home: one for each platform of a running one, else one for all.
 *
 * @param configured tags of the platforms that are set up
 */
export function checkGateway(status: GatewayStatus, configured: readonly string[]): readonly Check[] {
  const problems = status.problems.map(
    (detail): Check => ({ name: "gateway", status: "warn", detail, fix: STATUS_SHOWS }),
  );
  if (!status.running) return [describeStopped(status, configured), ...problems];
  return [...Object.entries(status.platforms).map(([tag, one]) => checkPlatform(tag, one)), ...problems];
}

const STATUS_SHOWS = "agent gateway status shows the platforms; agent gateway setup changes their settings";

function describeStopped({ state, exit_reason }: GatewayStatus, configured: readonly string[]): Check {
  const name = "gateway";
  if (state === "startup_failed")
    return { name, status: "fail", detail: `failed to start: ${exit_reason}`, fix: "agent gateway start retries" };
  const detail = `not running; configured: ${configured.join(", ") || "no platform"}`;
  return { name, status: "ok", detail };
}

function checkPlatform(tag: string, one: PlatformStatus): Check {
  const name = `platform ${tag}`;
  if (!isFailing(one)) return { name, status: "ok", detail: `${one.state} (${one.account})` };
  const status = one.state === "fatal" ? "fail" : "warn";
  return { name, status, detail: `${one.state}: ${describeFault(one)}`, fix: STATUS_SHOWS };
}

const isFailing = ({ state, error_code }: PlatformStatus): boolean =>
  state === "fatal" || (state === "retrying" && error_code !== null);

const describeFault = ({ error_code, error_message }: PlatformStatus): string =>
  [error_code, error_message].filter((part) => part !== null && part !== "").join(", ");
