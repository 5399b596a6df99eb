import assert from "node:assert/strict";
import { test } from "node:test";
import { entriesOfMarkdown } from "./markdown-entries.js";

test("notes in Markdown become entries behind their headings; code, tables and repetitions are left out", () => {
  const text = `# MEMORY.md

A paragraph
over two lines.

## Work
- Tests run with *make check*.
  They take two minutes.
1. Deploys are on Mondays.
- tests run with *make check*. They take  two minutes.

### Hosts
| name | use |
|---|---|
| a | b |

\`\`\`sh
rm -rf /
- not an entry
\`\`\`
---
* OpenClaw keeps its notes in ~/.openclaw/workspace.

## Home
Likes tea.
`;
  assert.deepEqual(entriesOfMarkdown(text), [
    "A paragraph over two lines.",
    "Work > tests run with *make check*. They take two minutes.",
    "Work > Deploys are on Mondays.",
    "Work > Hosts > agent keeps its notes in ~/.agent/workspace.",
    "Home > Likes tea.",
  ]);
  assert.deepEqual(entriesOfMarkdown(""), []);
  assert.deepEqual(entriesOfMarkdown("### Deep\r\n- a\r\n# 2026-01-31\r\n- b\r\n"), ["Deep > a", "b"]);
});
