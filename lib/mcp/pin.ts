import { canonicalJson } from "../base/json/canonical-json.js";
import { sha256 } from "../base/text/hash.js";
import type { McpTool } from "../contracts/mcp/connection.js";

/** What a tool was when it was allowed: another description or schema is another tool, whatever its name. */
export const pinOf = ({ description, schema }: Pick<McpTool, "description" | "schema">): string =>
  sha256(canonicalJson({ description, schema }));
