/** Fields of an event, as they came over the wire. */
export type Data = Readonly<Record<string, unknown>>;

export const text = (data: Data, name: string): string => (typeof data[name] === "string" ? data[name] : "");
export const number = (data: Data, name: string): number => (typeof data[name] === "number" ? data[name] : 0);
