/** Help topics with their generated tables renewed: path -> text. */
export async function topicTables(_loaded: ReadonlyMap<string, unknown>): Promise<ReadonlyMap<string, string>> {
  return new Map();
}
