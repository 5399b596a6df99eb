import { resolve } from "node:path";
import { exists } from "../../base/fs/home-files.js";
import { isRecord } from "../../base/json/record.js";
import { isProgram, programOnPath } from "../../base/process/program-path.js";
import type { AppOptions } from "../../config/app-options.js";
import type { Check } from "../../contracts/check.js";
import { type McpEntry, readMcpEntry } from "../../contracts/mcp/entry.js";
import { MCP_SERVERS } from "../../contracts/mcp/keys.js";
import { mcpLoginFile } from "../../contracts/mcp/logins.js";
import type { McpApi } from "../../contracts/mcp/mcp.js";

type Needs = Pick<AppOptions, "config" | "home" | "env">;

/** MCP servers, one finding for each with something wrong, else one for all. No server is started; nothing is said where none is configured. */
export function examineMcp({ config, home, env }: Needs, mcp: Pick<McpApi, "list">): readonly Check[] {
  const entries = config.get(MCP_SERVERS);
  if (!isRecord(entries) || Object.keys(entries).length === 0) return [];
  const live = new Map(mcp.list().map((status) => [status.name, status]));
  const found = Object.entries(entries).flatMap(([name, written]) => {
    const read = readMcpEntry(name, written, env);
    if (!read.ok) return [finding(name, read.error, "edit mcp_servers in config.yaml")];
    if (!read.entry.enabled) return [];
    const unset = read.unset.map((variable) =>
      finding(name, `the variable ${variable} is not set`, `agent config set ${variable} VALUE stores it in .env`),
    );
    return [...unset, ...entryFindings(name, read.entry, { home, env }), ...liveFinding(live.get(name))];
  });
  const count = Object.keys(entries).length;
  return found.length > 0 ? found : [{ name: "mcp", status: "ok", detail: `${count} server${count === 1 ? "" : "s"}` }];
}

const finding = (name: string, detail: string, fix: string): Check => ({
  name: "mcp",
  status: "warn",
  detail: `${name}: ${detail}`,
  fix,
});

function entryFindings(name: string, entry: McpEntry, { home, env }: Omit<Needs, "config">): readonly Check[] {
  const { url, command = "", auth, cwd } = entry;
  if (url !== undefined)
    return auth === "oauth" && !exists(mcpLoginFile(home, name))
      ? [finding(name, "not logged in", `agent mcp login ${name}`)]
      : [];
  const path = entry.env["PATH"] ?? env["PATH"];
  const there = command.includes("/") ? isProgram(resolve(cwd ?? home.dir, command)) : programOnPath(command, path);
  return there ? [] : [finding(name, `no program ${command}`, `install it, or agent mcp remove ${name}`)];
}

function liveFinding(status: ReturnType<McpApi["list"]>[number] | undefined): readonly Check[] {
  if (status?.state === "refused")
    return [
      finding(status.name, `refused: ${status.last_error ?? "its command"}`, "change its command in config.yaml"),
    ];
  if (status?.state === "failed")
    return [finding(status.name, status.last_error ?? "failed", `agent mcp test ${status.name}`)];
  return [];
}
