import { accept, reject } from '@mailhatch/sdk'
import { expect, test } from 'vitest'
import { sendTo, startApart } from './scenario-workers.ts'
import { temporaryFolder } from './support/server.ts'

const WORKERS = 4
const MAILS = 1_000
/** Mails at once if a worker is killed between them. */
const LANES = 200
const TO = 'qa+many@qa.test'

async function start() {
  const apart = await startApart()
  const folders = Array.from({ length: WORKERS }, () => temporaryFolder())
  const workers = await Promise.all(folders.map((folder) => apart.startWorker(folder)))
  /** Waits for this mail. Returns the subjects of all mail for the address. */
  async function arrival(accepted: string[]): Promise<string[]> {
    let subjects: string[] = []
    await expect
      .poll(async () => {
        const messages = await Array.fromAsync(apart.sdk.messages.list({ mailbox: TO, limit: 100 }))
        subjects = messages.map(({ subject }) => subject)
        return accepted.filter((subject) => !subjects.includes(subject))
      })
      .toEqual([])
    return subjects
  }
  return { ...apart, folders, workers, arrival }
}

test('1,000 mails at once through 4 workers use each step exactly as often as it says', async () => {
  const { script, workers, arrival } = await start()
  const { state } = await script(TO, [reject(451).times(400), reject(452).times(300), accept()])
  const seen = await Promise.all(
    Array.from({ length: MAILS }, (_, index) => sendTo(workers[index % WORKERS]!, TO, `mail ${index}`)),
  )
  const count = (code: number) => seen.filter((each) => each === code).length
  expect([count(451), count(452), count(250)]).toEqual([400, 300, 300])
  expect(await state()).toMatchObject({ nextStep: 2, timesUsed: 300, mails: MAILS })
  const accepted = seen.flatMap((code, index) => (code === 250 ? [`mail ${index}`] : []))
  expect((await arrival(accepted)).toSorted()).toEqual(accepted.toSorted())
})

test('with kill -9 of a worker among 1,000 mails, the script goes on and no accepted mail is lost', async () => {
  const { script, workers, folders, startWorker, arrival } = await start()
  const [first, second] = [300, 50]
  const { state } = await script(TO, [
    accept().times(300),
    reject(451).times(first),
    accept().times(300),
    reject(452).times(second),
    accept(),
  ])
  const seen: { code: number | null; subject: string }[] = []
  const subjects = (code: number | null) => seen.flatMap((each) => (each.code === code ? [each.subject] : []))
  const isOfFirstWorker = (subject: string) => Number(subject.split(' ')[1]) % WORKERS === 0
  // When the first worker has accepted mail and gets more.
  const killable = Promise.withResolvers<void>()
  const sendAll = (count: number, name: string) =>
    Promise.all(
      Array.from({ length: LANES }, async (_, lane) => {
        for (let index = lane; index < count; index += LANES) {
          const subject = `${name} ${index}`
          seen.push({ code: await sendTo(workers[index % WORKERS]!, TO, subject), subject })
          if (subjects(250).filter(isOfFirstWorker).length === 20) killable.resolve()
        }
      }),
    )

  const sending = sendAll(MAILS, 'before')
  await killable.promise
  await workers[0]!.kill()
  await sending
  expect(subjects(null).length).toBeGreaterThan(0)
  workers[0] = await startWorker(folders[0])
  const lost = subjects(null)
  await sendAll(MAILS / 5, 'after')
  expect(subjects(null)).toEqual(lost)

  // A step that the dead worker took counts as used, although its sender saw no reply.
  const { mails } = await state()
  const missing = [first - subjects(451).length, second - subjects(452).length]
  const takenUnseen = mails - (seen.length - lost.length)
  expect(Math.min(...missing, takenUnseen)).toBeGreaterThanOrEqual(0)
  expect(missing[0]! + missing[1]!).toBeLessThanOrEqual(takenUnseen)
  expect(takenUnseen).toBeLessThanOrEqual(lost.length)

  const accepted = subjects(250)
  const found = await arrival(accepted)
  expect(found.filter((subject) => !accepted.includes(subject) && !lost.includes(subject))).toEqual([])
  expect(new Set(found).size).toBe(found.length)
})
