import { expect, test } from 'vitest'
import { seedsOf } from '../prove/seeds.ts'
import { mailGrammar } from './mail-grammar.ts'
import { runMails } from './mails-run.ts'
import { startMailsServer } from './mails-server.ts'

test.each(seedsOf('mails', { isSlow: true }))('mail $number of seed $seed: $why', async ({ seed, number }) => {
  const { server, dashboard } = await startMailsServer()
  const mail = mailGrammar(seed).mail(number)
  const after = { name: 'after it', raw: Buffer.from('Subject: after it\r\n\r\nhello\r\n') }
  // One for each connection, and one that follows on the same.
  const run = await runMails({ server, dashboard, mails: [mail, mail, mail, mail, after] })
  expect(run).toMatchObject({ sent: 5, lost: [], changed: [], unreadable: [], stretches: [], exits: 0 })
  expect(run.readable).toBeGreaterThan(0)
})
