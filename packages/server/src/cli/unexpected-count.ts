import { MessageCountError } from '@mailhatch/sdk'

/** The time is over. */
export class TooFewMessages extends MessageCountError {}

export class TooManyMessages extends MessageCountError {}
