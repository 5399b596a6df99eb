import { TRANSITIONS, type Transition } from "./states.js";

/** The state diagram as mermaid text, made from the table of transitions; for the help topic and documents. */
export function renderStates(): string {
  const arrows = new Map<string, Set<string>>();
  const rows: readonly Transition[] = TRANSITIONS;
  for (const row of rows) {
    for (const from of row.from) {
      const key = `${from === "new" ? "[*]" : from} --> ${row.to}`;
      const label = row.guard === undefined ? row.on : `${row.on} (${row.guard})`;
      arrows.set(key, (arrows.get(key) ?? new Set<string>()).add(label));
    }
  }
  const lines = [...arrows].map(([arrow, labels]) => `    ${arrow}: ${[...labels].join(", ")}`);
  return ["stateDiagram-v2", ...lines].join("\n");
}
