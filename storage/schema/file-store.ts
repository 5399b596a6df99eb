/** Statements with which the file engine looks at a file and brings it up to date. The tables are those of every store. */
export const FILE_STORE = {
  tables: "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name",
  found: "SELECT kind, schema FROM _store",
  born: "INSERT INTO _store (id, kind, schema, seq, segment_version) VALUES (?, ?, 0, 0, 0)",
  reached: "UPDATE _store SET schema = ?",
  /** One row of a table: reads its first page. */
  firstRow: (table: string) => `SELECT 1 FROM "${table.replaceAll('"', '""')}" LIMIT 1`,
} as const;
