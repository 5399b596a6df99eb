import type { AnyTool, ToolDefinition } from "./define.js";

/** The server or plugin that brings a tool. */
export interface ToolOrigin {
  readonly kind: "mcp" | "plugin";
  readonly name: string;
}

/** What is known of a tool without loading it. Written by `make index` from the definition. */
export interface ToolEntry extends Pick<ToolDefinition, "name" | "toolset" | "description" | "risk"> {
  /** JSON Schema of the parameters, as models see them. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** `false`: may stand behind `tool_search`. */
  readonly core?: boolean;
  /** Whether it is offered, or what the model sees of it, depends on the place: the definition knows. */
  readonly conditional?: boolean;
  /** Where a tool comes from that is not built in. */
  readonly origin?: ToolOrigin;
  /** It takes the place of a tool of the same name. */
  readonly overrides?: true;
  /** The definition itself; its module is loaded on first use. */
  readonly load: () => Promise<AnyTool>;
}
