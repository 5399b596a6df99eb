/** The last fenced block of a Markdown text, without its fence; one that is still open counts. Undefined without one. */
export function lastCodeBlock(text: string): string | undefined {
  let found: string | undefined;
  let open: { readonly mark: string; readonly lines: string[] } | undefined;
  for (const line of text.split("\n")) {
    const mark = /^ *(`{3,}|~{3,})/.exec(line)?.[1];
    if (open === undefined) open = mark === undefined ? undefined : { mark, lines: [] };
    else if (mark?.startsWith(open.mark) === true && line.trim() === mark) {
      found = open.lines.join("\n");
      open = undefined;
    } else open.lines.push(line);
  }
  return open === undefined ? found : open.lines.join("\n");
}
