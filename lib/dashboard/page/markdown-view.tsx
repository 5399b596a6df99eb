import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { readMarkdown } from "./markdown/read.js";
import type { Inline, MarkdownBlock, TableCell } from "./markdown/tree.js";

interface Props {
  text: string;
  /** Level of the headings of the page that it stands below. */
  below?: 2 | 3;
}

type Tag = "h3" | "h4" | "h5" | "h6";
const TAGS: readonly Tag[] = ["h3", "h4", "h5", "h6"];

/** Text of a task, a worker or a model, as Markdown that can do nothing: no markup of its own, no pictures, links without opener. */
export function Markdown({ text, below = 3 }: Props) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return (
    <div class="md">
      {blocks.map((block, key) =>
        block.kind === "heading" ? <Heading key={key} block={block} below={below} /> : showBlock(block, key),
      )}
    </div>
  );
}

function showBlock(block: MarkdownBlock, key: number): ComponentChildren {
  switch (block.kind) {
    case "paragraph":
      return <p key={key}>{block.inner.map(showInline)}</p>;
    case "line":
      return <div key={key}>{block.inner.map(showInline)}</div>;
    case "heading":
      return <Heading key={key} block={block} below={4} />;
    case "code":
      return (
        <pre key={key} data-language={block.language || undefined}>
          <code>{block.text}</code>
        </pre>
      );
    case "quote":
      return <blockquote key={key}>{block.blocks.map(showBlock)}</blockquote>;
    case "list":
      return showList(block, key);
    case "table":
      return showTable(block, key);
    case "rule":
      return <hr key={key} />;
    case "plain":
      return (
        <div key={key} class="md-plain">
          {block.text}
        </div>
      );
  }
}

/** Headings of a text stand below those of the page. */
function Heading({ block, below }: { block: Extract<MarkdownBlock, { kind: "heading" }>; below: number }) {
  const Words: Tag = TAGS[Math.min(below + block.level, 6) - 3] ?? "h6";
  return <Words class={`md-h md-h${block.level}`}>{block.inner.map(showInline)}</Words>;
}

function showList({ start, items }: Extract<MarkdownBlock, { kind: "list" }>, key: number) {
  const rows = items.map((blocks, at) => <li key={at}>{blocks.map(showBlock)}</li>);
  return start === null ? (
    <ul key={key}>{rows}</ul>
  ) : (
    <ol key={key} start={start}>
      {rows}
    </ol>
  );
}

function showTable({ head, rows }: Extract<MarkdownBlock, { kind: "table" }>, key: number) {
  const look = ({ align }: TableCell) => (align === null ? undefined : `to-${align}`);
  return (
    <div key={key} class="md-table">
      <table>
        <thead>
          <tr>
            {head.map((cell, at) => (
              <th key={at} class={look(cell)}>
                {cell.inner.map(showInline)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.map((cell, at) => (
                <td key={at} class={look(cell)}>
                  {cell.inner.map(showInline)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function showInline(one: Inline, key: number): ComponentChildren {
  switch (one.kind) {
    case "text":
      return one.text;
    case "code":
      return <code key={key}>{one.text}</code>;
    case "break":
      return <br key={key} />;
    case "strong":
      return <strong key={key}>{one.inner.map(showInline)}</strong>;
    case "em":
      return <em key={key}>{one.inner.map(showInline)}</em>;
    case "del":
      return <del key={key}>{one.inner.map(showInline)}</del>;
    case "box":
      return one.checked ? "☑ " : "☐ ";
    case "link":
      return (
        <a key={key} href={one.href} target="_blank" rel="noopener noreferrer" title={one.href}>
          {one.inner.map(showInline)}
        </a>
      );
  }
}
