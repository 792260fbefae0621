import {
  AuthenticationError,
  ConnectionError,
  ForbiddenError,
  MailhatchError,
  MessageTimeoutError,
  NotFoundError,
  ValidationError,
} from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { ConfigError } from '../program/config.ts'
import { AppError } from '../domain/errors.ts'
import { describeFailure, SmtpRefusal } from './failure.ts'

function answer(status: number, code: string) {
  return { status, body: { error: 'No', code, requestId: 'r1' } }
}

test.each([
  [new MessageTimeoutError({ description: '{}', timeoutMs: 1, arrived: [] }), 3, 'timeout', true],
  [new AuthenticationError('No', answer(401, 'unauthorized')), 4, 'auth', false],
  [new ForbiddenError('No', answer(403, 'forbidden')), 4, 'auth', false],
  [new AppError('unauthorized', 'No key'), 4, 'auth', false],
  [new ConnectionError('Unreachable'), 5, 'network', true],
  [new NotFoundError('No', answer(404, 'not_found')), 1, 'api', false],
  [new MailhatchError('No', answer(503, 'server_busy')), 1, 'api', true],
  [new MailhatchError('No', answer(500, 'internal')), 1, 'api', false],
  [new SmtpRefusal('452 4.3.1 Not enough disk space'), 1, 'api', true],
  [new SmtpRefusal('550 5.7.1 Not here'), 1, 'api', false],
  [new AppError('validation_failed', 'No'), 2, 'user_input', false],
  [new AppError('not_found', 'No'), 1, 'user_input', false],
  [new ValidationError('No', answer(400, 'validation_failed')), 2, 'user_input', false],
  [new ConfigError(['PORT']), 78, 'settings', false],
  [Object.assign(new Error('no'), { code: 'ENOENT', syscall: 'open' }), 1, 'filesystem', false],
  [Object.assign(new Error('no'), { code: 'EADDRINUSE', syscall: 'listen' }), 1, 'network', false],
  [new Error('What?'), 1, 'internal', false],
])('%s: exit code %d, %s', (error, exitCode, category, retryable) => {
  expect(describeFailure(error)).toMatchObject({ exitCode, category, retryable, code: expect.stringMatching(/^\w+$/) })
})
