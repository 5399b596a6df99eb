/** Lines that are shown: more than people read here, few enough for a browser. */
const LINES = 4_000;

/** A diff as git writes it, each line in the look of what it does. */
export function DiffText({ text }: { text: string }) {
  const lines = text.replace(/\n$/, "").split("\n");
  return (
    <pre class="diff">
      {lines.slice(0, LINES).map((line, at) => (
        <span key={`${at} ${line.slice(0, 20)}`} class={lookOf(line)}>
          {line}
          {"\n"}
        </span>
      ))}
      {lines.length > LINES && <span class="soft">and {lines.length - LINES} more lines</span>}
    </pre>
  );
}

function lookOf(line: string): string | undefined {
  if (line.startsWith("+++") || line.startsWith("---") || line.startsWith("diff ") || line.startsWith("index "))
    return "diff-head";
  if (line.startsWith("@@")) return "diff-place";
  if (line.startsWith("+")) return "diff-added";
  return line.startsWith("-") ? "diff-removed" : undefined;
}
