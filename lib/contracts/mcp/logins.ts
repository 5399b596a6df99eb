import { join } from "node:path";
import type { Home } from "../../base/home.js";

/** Directory of the stored logins of a home. */
export const mcpLoginDir = ({ dir }: Pick<Home, "dir">): string => join(dir, "mcp-tokens");

/** File with the login of a server. */
export const mcpLoginFile = (home: Pick<Home, "dir">, server: string): string =>
  join(mcpLoginDir(home), `${encodeURIComponent(server)}.json`);
