type Count = { count: number; isExact?: boolean }

/** “1 message”, “2,000+ messages”. */
export function messagesText({ count, isExact = true }: Count): string {
  return `${numberText({ count, isExact })} ${count === 1 && isExact ? 'message' : 'messages'}`
}

/** “2,000+” if more were not counted. */
export function numberText({ count, isExact = true }: Count): string {
  return `${count.toLocaleString('en')}${isExact ? '' : '+'}`
}
