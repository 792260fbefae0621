import { AppError } from '../../domain/errors.ts'
import { isUuid } from '../../domain/uuid.ts'
import type { PathParameter } from './route.ts'

export const messageId: PathParameter<string> = {
  description: 'Id of the message.',
  example: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
  read: (text) => readId(text, messageNotFound),
}

export const mailboxId: PathParameter<string> = {
  description: 'Id of the mailbox.',
  example: '0199a3c2-5b10-7e0d-8f11-2c4d6e8fa013',
  read: (text) => readId(text, notFound),
}

export const endpointId: PathParameter<string> = { ...mailboxId, description: 'Id of the endpoint.' }

export const scenarioId: PathParameter<string> = { ...mailboxId, description: 'Id of the scenario.' }

export const deliveryId: PathParameter<string> = {
  description: 'Id of the delivery.',
  example: '0199a3c2-7d41-7a52-9c39-5d6b8f0e1a24',
  read: (text) => readId(text, notFound),
}

export function messageNotFound(): AppError {
  return new AppError('message_not_found', 'Not found')
}

export function notFound(): AppError {
  return new AppError('not_found', 'Not found')
}

/** Throws the 404 if the text is not an id. */
function readId(text: string, refusal: () => AppError): string {
  const id = text.toLowerCase()
  if (!isUuid(id)) throw refusal()
  return id
}
