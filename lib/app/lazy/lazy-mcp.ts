import type { McpApi, McpLoginAsk, McpServerStatus } from "../../contracts/mcp/mcp.js";

interface Source {
  api(): Promise<McpApi>;
  /** Undefined: nothing is loaded. */
  peek(): McpApi | undefined;
}

/**
 * Servers of the Model Context Protocol, loaded with the first call.
 *
 * @param show Shows the page of a login in the browser of the person as well.
 */
export function lazyMcp({ api, peek }: Source, show: (ask: McpLoginAsk) => McpLoginAsk): McpApi {
  const none: readonly McpServerStatus[] = [];
  return {
    list: () => peek()?.list() ?? none,
    status: async (...given) => (await api()).status(...given),
    tools: async (...given) => (await api()).tools(...given),
    test: async (...given) => (await api()).test(...given),
    probe: async (...given) => (await api()).probe(...given),
    reconnect: async (...given) => (await api()).reconnect(...given),
    login: async (name, ask, signal) => (await api()).login(name, show(ask), signal),
    reload: async (...given) => (await api()).reload(...given),
  };
}
