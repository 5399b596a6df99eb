import { TomlError } from "smol-toml";
import { readAtMostSync } from "../../../../lib/base/fs/files.js";
import { isRecord } from "../../../../lib/base/json/record.js";
import { readMcpEntry } from "../../../../lib/contracts/mcp/entry.js";
import { headerVariable, RESERVED } from "./servers.js";
import { parseToml } from "./toml-text.js";

const MAX_BYTES = 4 << 20;

/**
 * Variables that the program needs beside its own for the servers in its settings: values of our `env` and `headers` that are not stored there.
 * Commands of the program must not see them: their names belong into `shell_environment_policy.exclude`.
 *
 * @param file `config.toml` of the app-server. One that is missing or broken needs nothing.
 * @param servers `mcp_servers` with its variables expanded.
 */
export function handedOver(file: string, servers: unknown): Readonly<Record<string, string>> {
  const tables = tablesOf(file);
  const found: Record<string, string> = {};
  for (const [name, written] of Object.entries(isRecord(servers) ? servers : {})) {
    const read = readMcpEntry(name, written, {});
    const table = tables[name];
    if (!read.ok || !isRecord(table)) continue;
    const { env_vars: variables, env_http_headers: headers } = table;
    for (const variable of Array.isArray(variables) ? variables.map(String) : []) {
      const value = read.entry.env[variable];
      if (value !== undefined && !RESERVED.test(variable)) found[variable] = value;
    }
    for (const [header, value] of Object.entries(read.entry.headers)) {
      const variable = headerVariable(name, header);
      if (isRecord(headers) && headers[header] === variable) found[variable] = value;
    }
  }
  return found;
}

function tablesOf(file: string): Readonly<Record<string, unknown>> {
  try {
    const { mcp_servers: tables } = parseToml(readAtMostSync(file, MAX_BYTES)?.toString("utf8") ?? "");
    return isRecord(tables) ? tables : {};
  } catch (error) {
    if (error instanceof TomlError) return {};
    throw error;
  }
}
