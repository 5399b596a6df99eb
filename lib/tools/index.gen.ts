// Written by `make index`. Do not edit.
import type { ToolEntry } from "./entry.js";

export const TOOLS: readonly ToolEntry[] = [
  {
    name: "process",
    toolset: "terminal",
    description: "Look after background processes started by terminal with background: true. list them; poll one for its state and last output; log shows lines; wait until it ends; kill it; write text, submit a line, or close its input.",
    risk: "exec",
    schema: {"type":"object","properties":{"action":{"type":"string","enum":["list","poll","log","wait","kill","write","submit","close"]},"session_id":{"description":"proc_... of the process; not for list.","type":"string"},"data":{"description":"Text for write, or a line for submit.","type":"string"},"timeout":{"description":"Seconds for wait, default and at most 180.","type":"integer","minimum":1,"maximum":180},"offset":{"description":"First line for log; default: the last lines.","type":"integer","minimum":0,"maximum":9007199254740991},"limit":{"description":"Lines for log, default 200.","type":"integer","minimum":1,"maximum":2000}},"required":["action"]},
    load: async () => (await import("./process.js")).default,
  },
  {
    name: "read_file",
    toolset: "file",
    description: "Read a text file with line numbers. Content lines have the form `<n>|<text>`; the number and bar are not part of the file. Read large files in parts with offset and limit. Notebooks and office documents are shown as text. Directories: search_files with target files.",
    risk: "read",
    schema: {"type":"object","properties":{"path":{"type":"string","minLength":1,"description":"File to read, absolute or relative to the working directory."},"offset":{"default":1,"description":"First line, from 1.","type":"integer","minimum":1,"maximum":9007199254740991},"limit":{"default":500,"description":"Number of lines.","type":"integer","minimum":1,"maximum":2000}},"required":["path"]},
    load: async () => (await import("./read-file.js")).default,
  },
  {
    name: "terminal",
    toolset: "terminal",
    description: "Run a shell command and get its output and exit code. The working directory and exported variables persist between calls. There is no input and no pager. Use background: true for servers and anything that does not end by itself, then the process tool. Read, search and edit files with read_file, search_files, patch and write_file instead of cat, grep and sed.",
    risk: "exec",
    schema: {"type":"object","properties":{"command":{"type":"string","minLength":1,"maxLength":100000,"description":"Shell command line."},"background":{"default":false,"description":"Run it as a background process and return its id at once.","type":"boolean"},"timeout":{"description":"Seconds, default 180, at most 600 in the foreground.","type":"integer","minimum":1,"maximum":9007199254740991},"workdir":{"description":"Directory for this call only.","type":"string"},"pty":{"default":false,"description":"Give it a terminal.","type":"boolean"},"notify_on_complete":{"default":false,"description":"Background: tell me when it ends.","type":"boolean"},"watch_patterns":{"description":"Background: tell me when a line contains one of these.","maxItems":16,"type":"array","items":{"type":"string"}}},"required":["command"]},
    load: async () => (await import("./terminal.js")).default,
  },
  {
    name: "write_file",
    toolset: "file",
    description: "Create a file or replace its whole content; missing directories are made. For changes in an existing file use patch. Line ends, encoding and mode of an existing file are kept. The answer has the difference and a syntax check.",
    risk: "write",
    schema: {"type":"object","properties":{"path":{"type":"string","minLength":1,"description":"File to write, absolute or relative to the working directory."},"content":{"type":"string","maxLength":16777216,"description":"The whole new content."},"cross_profile":{"default":false,"description":"Allow skills, plugins, cron or memories of another profile.","type":"boolean"}},"required":["path","content"]},
    load: async () => (await import("./write-file.js")).default,
  },
];
