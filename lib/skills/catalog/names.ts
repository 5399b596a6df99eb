/** The slash command of a name (core part, 28.2). */
export const commandOf = (name: string): string =>
  name
    .toLowerCase()
    .replace(/[\s_]+/g, "-")
    .replace(/[^a-z0-9-]/g, "");
