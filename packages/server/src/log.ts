/** What parts need of a logger; pino is one. Mail content never goes into it. */
export type Log = {
  debug(facts: object, message: string): void
  info(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}
