import { type AppError, toAppError } from "../errors.js";

/** Do one step after the other; one that fails keeps no later one from being done. @throws the first failure, at the end */
export async function runInOrder(steps: readonly (() => Promise<unknown>)[]): Promise<void> {
  let failure: AppError | undefined;
  for (const step of steps)
    await step().catch((error: unknown) => {
      failure ??= toAppError(error);
    });
  if (failure !== undefined) throw failure;
}
