type Step = () => Promise<unknown>;

/** Take each step after the one before it, also when that failed: what ends things must reach all of them. @throws the first failure, at the end */
export async function runCleanupsInOrder(steps: readonly Step[]): Promise<void> {
  const failures: unknown[] = [];
  for (const step of steps) await step().catch((error: unknown) => failures.push(error));
  if (failures.length > 0) throw failures[0];
}

/** The same, all at once. */
export async function runCleanupsTogether(steps: readonly Step[]): Promise<void> {
  const ended = await Promise.allSettled(steps.map((step) => step()));
  const failed = ended.find((one) => one.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}
