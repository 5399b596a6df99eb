import type { AnyTool, ToolDefinition } from "./define.js";

/** What is known of a tool without loading it. Written by `make index` from the definition. */
export interface ToolEntry extends Pick<ToolDefinition, "name" | "toolset" | "description" | "risk"> {
  /** JSON Schema of the parameters, as models are told. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** `false`: may stand behind `tool_search`. */
  readonly core?: boolean;
  /** Whether it is offered, or what the model is told of it, depends on the place: the definition knows. */
  readonly conditional?: boolean;
  /** The definition itself; its module is loaded on first use. */
  readonly load: () => Promise<AnyTool>;
}
