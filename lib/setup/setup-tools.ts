import type { ToolListing } from "../contracts/chat/tools.js";
import { askUntilValid, type Person } from "./ask-person.js";
import type { StoreSettings } from "./store-change.js";

/** Show the toolsets and ask which of them sessions do without. @returns what was done, a line each. @throws E_INTERRUPTED */
export async function setupTools(
  person: Person,
  { keep, listing }: { readonly keep: StoreSettings; readonly listing: () => Promise<ToolListing> },
): Promise<readonly string[]> {
  const { toolsets, disabled } = await listing();
  const sets = toolsets.filter(({ kind }) => kind === "set");
  const width = Math.max(...sets.map(({ name }) => name.length));
  for (const { name, tools } of sets)
    await person.say(`  ${disabled.includes(name) ? "off" : "on "}  ${name.padEnd(width)}  ${tools.join(" ")}`);
  const named = (text: string) => text.split(/[\s,]+/).filter((name) => name !== "" && name !== "none");
  const problem = (text: string) => {
    const unknown = named(text).filter((name) => !toolsets.some((set) => set.name === name));
    return unknown.length === 0 ? undefined : `Unknown toolset: ${unknown.join(", ")}.`;
  };
  const kept = disabled.length === 0 ? "none" : disabled.join(", ");
  const answer = await askUntilValid(person, { ask: "Toolsets to disable, comma-separated", kept, problem });
  if (answer === undefined) return ["nothing changed"];
  const off = [...new Set(named(answer))];
  await keep([{ key: "agent.disabled_toolsets", text: JSON.stringify(off), typed: true }]);
  return [off.length === 0 ? "tools: all toolsets are enabled" : `tools: without ${off.join(", ")}`];
}
