import type { McpServer } from "@agentclientprotocol/sdk";

/** An MCP server of the editor as the settings would write it. It is started in the directory of the session. */
export function toServerEntry(server: McpServer, cwd: string): { readonly name: string } & Record<string, unknown> {
  const { name } = server;
  if ("url" in server) {
    const { type, url, headers } = server;
    return { name, url, transport: type, headers: named(headers) };
  }
  const { command, args, env } = server;
  return { name, command, args, env: named(env), cwd };
}

const named = (list: readonly { readonly name: string; readonly value: string }[] = []): Record<string, string> =>
  Object.fromEntries(list.map(({ name, value }) => [name, value]));
