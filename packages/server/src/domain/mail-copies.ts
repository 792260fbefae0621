/** Digits at the end of a message id that number the messages of one mail: 0 for the only one, and from 1 if there are several. */
const COPY_DIGITS = 4

/** The ids of the messages that one mail becomes, one for each recipient. `id` may be any new one. */
export function copyIds(id: string, count: number): string[] {
  const first = count > 1 ? 1 : 0
  return Array.from({ length: count }, (_, index) => withNumber(id, first + index))
}

/** The least id that a message of the same mail can have. The messages of other mails have another one. */
export function mailOf(id: string): string {
  return withNumber(id, 0)
}

/** The greatest id that a message of the same mail can have. */
export function lastOfMail(id: string): string {
  return withNumber(id, 16 ** COPY_DIGITS - 1)
}

/** Whether the mail has no other message. False also for all ids of earlier versions. */
export function isOnlyCopy(id: string): boolean {
  return id === mailOf(id)
}

function withNumber(id: string, number: number): string {
  return id.slice(0, -COPY_DIGITS) + number.toString(16).padStart(COPY_DIGITS, '0')
}
