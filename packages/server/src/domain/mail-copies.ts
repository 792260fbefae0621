/** Digits at the end of a message id that number the messages of one mail. */
const COPY_DIGITS = 4

/** The ids of the messages that one mail becomes, one for each recipient. `id` may be any new one. */
export function copyIds(id: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => mailOf(id) + index.toString(16).padStart(COPY_DIGITS, '0'))
}

/** What the ids of the messages of one mail have in common. No other id has it. */
export function mailOf(id: string): string {
  return id.slice(0, -COPY_DIGITS)
}
