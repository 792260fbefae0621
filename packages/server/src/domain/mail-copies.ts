/**
 * A mail with several recipients becomes several messages, its copies. Their ids differ in the digits at the end alone: numbers in
 * ascending order. The only message of a mail has the number 0. Ids that are made in another way mostly have greater numbers, or
 * another version; with a smaller one by chance, nothing else of the id is the same.
 */
const NUMBER_DIGITS = 4
const NUMBER_MAX = 1_023

/** The ids of the messages of one mail, from as many new ones. How many there are cannot be seen from one of them. */
export function copyIds(newIds: string[]): string[] {
  const [id = ''] = newIds
  if (newIds.length === 1) return [withNumber(id, 0)]
  const range = Math.floor(NUMBER_MAX / newIds.length)
  if (range === 0) throw new Error(`A mail has at most ${NUMBER_MAX} recipients.`)
  return newIds.map((random, index) => withNumber(id, 1 + index * range + (digitsOf(random) % range)))
}

/** Whether no other message can be of the same mail. */
export function isOnlyCopy(id: string): boolean {
  const number = digitsOf(id)
  return number === 0 || number > NUMBER_MAX || !isVersion7(id)
}

/** Names the mail of a message. For the only message of a mail, its own id. */
export function mailIdOf(id: string): string {
  return isOnlyCopy(id) ? id : withNumber(id, 0)
}

/** The greatest id that a message of the same mail can have. The least is `mailIdOf`. */
export function lastIdOfMail(id: string): string {
  return isVersion7(id) && digitsOf(id) <= NUMBER_MAX ? withNumber(id, NUMBER_MAX) : id
}

function digitsOf(id: string): number {
  return Number.parseInt(id.slice(-NUMBER_DIGITS), 16)
}

function isVersion7(id: string): boolean {
  return id[14] === '7'
}

function withNumber(id: string, number: number): string {
  return id.slice(0, -NUMBER_DIGITS) + number.toString(16).padStart(NUMBER_DIGITS, '0')
}
