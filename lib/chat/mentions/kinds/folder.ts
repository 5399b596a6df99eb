import { listDirectory, statPath } from "../../../base/fs/files.js";
import { defineMention, type MentionResult } from "../define.js";
import { renderFencedBlock } from "../fenced.js";
import { type MentionedPath, ofPath, pathsOffered } from "../paths.js";

/** Entries of a folder that are listed. */
const MOST_ENTRIES = 500;

export default defineMention({
  name: "folder",
  form: "path",
  detail: "the file names of a directory",
  make: (mention, { ctx }) => ofPath(mention, { ctx, tool: "search_files" }, folderBlock),
  offers: (sources) => pathsOffered(sources, true),
});

async function folderBlock({ form, path }: MentionedPath): Promise<MentionResult> {
  const kind = (await statPath(path))?.kind;
  if (kind !== "directory")
    return { why: kind === undefined ? `no such directory: ${path}` : `${path} is not a directory` };
  const entries = (await listDirectory(path))
    .map(({ name, kind: what }) => (what === "directory" ? `${name}/` : name))
    .sort();
  const shown = entries.slice(0, MOST_ENTRIES);
  const more = entries.length - shown.length;
  const list = [...shown, ...(more > 0 ? [`… ${more} more`] : [])].join("\n");
  return { text: renderFencedBlock(`Folder ${form.name}: ${entries.length} entries`, list) };
}
