import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { readMarkdown } from "./markdown/read.js";
import type { Block, Cell, Inline } from "./markdown/tree.js";

interface Props {
  readonly text: string;
}

/** Text of a task, a worker or a model, as Markdown that can do nothing: no markup of its own, no pictures, links without opener. */
export function Markdown({ text }: Props) {
  const blocks = useMemo(() => readMarkdown(text), [text]);
  return <div class="md">{blocks.map(showBlock)}</div>;
}

function showBlock(block: Block, key: number): ComponentChildren {
  switch (block.kind) {
    case "paragraph":
      return <p key={key}>{block.inner.map(showInline)}</p>;
    case "line":
      return <div key={key}>{block.inner.map(showInline)}</div>;
    case "heading":
      return showHeading(block.level, block.inner, key);
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
function showHeading(level: number, inner: readonly Inline[], key: number) {
  const look = `md-h md-h${level}`;
  const words = inner.map(showInline);
  if (level === 1) {
    return (
      <h4 key={key} class={look}>
        {words}
      </h4>
    );
  }
  return level === 2 ? (
    <h5 key={key} class={look}>
      {words}
    </h5>
  ) : (
    <h6 key={key} class={look}>
      {words}
    </h6>
  );
}

function showList({ start, items }: Extract<Block, { kind: "list" }>, key: number) {
  const rows = items.map((blocks, at) => <li key={at}>{blocks.map(showBlock)}</li>);
  return start === null ? (
    <ul key={key}>{rows}</ul>
  ) : (
    <ol key={key} start={start}>
      {rows}
    </ol>
  );
}

function showTable({ head, rows }: Extract<Block, { kind: "table" }>, key: number) {
  const look = ({ align }: Cell) => (align === null ? undefined : `to-${align}`);
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
