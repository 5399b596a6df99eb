/** Fields of an event, as they came over the wire. */
export type Data = Readonly<Record<string, unknown>>;

export const text = (data: Data, name: string): string => (typeof data[name] === "string" ? data[name] : "");
export const number = (data: Data, name: string): number => (typeof data[name] === "number" ? data[name] : 0);

/** The first request is not a retry: the second attempt of three is `retry 1/2`, as the error at the end counts them. */
export const retryCount = (attempt: number, of: number): string =>
  attempt > 1 ? `retry ${attempt - 1}/${of - 1}` : "retry";
