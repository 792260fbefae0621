import { accept, type Mailhatch } from '@mailhatch/sdk'
import { expect } from 'vitest'
import type { Sender } from './sender.ts'
import { stepRows, type StepRow } from './step-table.ts'

/** For rows in which the sender is not meant to give up. */
const PATIENT_MS = 120_000

type Server = { sdk: Mailhatch; smtpPort: number }
type Seen = { attempts: string[]; stepsUsed: number; arrived: number }

/** Has a sender meet every kind of step, all at once, each at its own address. */
export async function trySteps({ sdk, smtpPort }: Server, { send, says }: Sender, patienceMs: number): Promise<void> {
  const rows = stepRows(patienceMs)
  const expected = rows.map((row) => [row.name, expectedOf(row, says)])
  const trials = await Promise.all(
    rows.map(async ({ name, step, sights, bytes }) => {
      const inbox = await sdk.addresses.create()
      const script = await inbox.script([step, accept()])
      const attempts: string[] = []
      for (const { sees } of sights) {
        const mail = { smtpPort, to: inbox.address, bytes, patienceMs: sees === 'silence' ? patienceMs : PATIENT_MS }
        attempts.push(...(await send(mail)))
      }
      return { name, inbox, script, attempts }
    }),
  )
  const seen = () =>
    Promise.all(
      trials.map(async ({ name, inbox, script, attempts }): Promise<[string, Seen]> => {
        const [{ mails: stepsUsed }, { length: arrived }] = await Promise.all([script.state(), inbox.messages()])
        return [name, { attempts, stepsUsed, arrived }]
      }),
    )
  await expect.poll(seen).toEqual(expected)
  // Nothing else is on its way: what was accepted before this mail has arrived.
  const last = await sdk.addresses.create()
  await send({ smtpPort, to: last.address, bytes: 1, patienceMs: PATIENT_MS })
  await last.waitFor()
  expect(await seen()).toEqual(expected)
}

function expectedOf({ sights, isStoredUnseen }: StepRow, says: Sender['says']): Seen {
  const attempts = sights.flatMap(says)
  const delivered = attempts.filter((words) => words.startsWith('sent')).length
  return { attempts, stepsUsed: attempts.length, arrived: delivered + Number(isStoredUnseen) }
}
