import type { SpanKind } from '@opentelemetry/api'

// The values of OpenTelemetry's SpanKind, which is a module that is loaded only if spans are recorded.
const INTERNAL = 0 satisfies SpanKind.INTERNAL
const SERVER = 1 satisfies SpanKind.SERVER
const CLIENT = 2 satisfies SpanKind.CLIENT

/** Every span, in the order in which a mail passes them. docs/operate/tracing.md shows this table. */
export const SPANS = {
  'mail.receive': {
    kind: SERVER,
    help: 'From the last byte of a mail until it is durable, which is when its sender gets the 250.',
  },
  'mail.parse': { kind: INTERNAL, help: 'Reads the headers and parts of the mail.' },
  'mail.store': { kind: INTERNAL, help: 'Writes raw mail and metadata to the bucket.' },
  'mail.announce': { kind: CLIENT, help: 'One attempt of the inbox worker to announce a mail to the API.' },
  'mail.intake': { kind: SERVER, help: 'The API finds the mailbox of the mail and makes it a message.' },
  'message.insert': {
    kind: INTERNAL,
    help: 'Inserts the message and its webhook deliveries into the database, until they are durable.',
  },
  'message.wake': {
    kind: INTERNAL,
    help: 'Wakes the waits and streams of this process, and notifies other processes.',
  },
  'webhook.send': { kind: CLIENT, help: 'One attempt to deliver an event to an endpoint.' },
} as const

export type SpanName = keyof typeof SPANS
