import { test } from 'vitest'
import { startServer } from '../support/server.ts'
import { nodemailer } from './sender.ts'
import { trySteps } from './try-steps.ts'

test('Nodemailer meets every kind of step, and reports it with the right error', async () => {
  await trySteps(await startServer(), nodemailer, 2_000)
})
