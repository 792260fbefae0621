import { accept, cutDuring, delay, limit, reject, type Step } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { OpenMail } from './settled/open-mail.ts'
import { startServer } from './support/server.ts'

async function start(now: () => number = Date.now) {
  const server = await startServer({}, now)
  // Without a pool, which sends a mail again whose connection was cut.
  const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
  /** `250`, the code of a refusal, or the name of an error. */
  const send = (to: string) =>
    transport.sendMail({ from: 'app@shop.test', to, subject: 'Hello', text: 'Hello' }).then(
      () => 250,
      (error: { responseCode?: number; code: string }) => error.responseCode ?? error.code,
    )
  return { ...server, send }
}

test('each step of a script is for one mail, and other addresses are not affected', async () => {
  const { sdk, send } = await start()
  const inbox = await sdk.addresses.create()
  const script = await inbox.script([
    reject(451).times(2),
    cutDuring('data'),
    reject(550, { text: 'No such user' }),
    accept(),
  ])
  const other = await sdk.addresses.create()
  const seen: (string | number)[] = []
  for (let mail = 0; mail < 6; mail++) {
    seen.push(await send(inbox.address))
    expect(await send(other.address)).toBe(250)
  }
  expect(seen).toEqual([451, 451, expect.stringMatching(/^E/), 550, 250, 250])
  expect(await script.state()).toMatchObject({ nextStep: 3, timesUsed: 2, mails: 6, mailsPerStep: [2, 1, 1, 2] })
  for (let mail = 0; mail < 2; mail++) await inbox.waitFor()
  for (let mail = 0; mail < 6; mail++) await other.waitFor()
  expect(await other.messages()).toHaveLength(6)
  expect(await inbox.messages()).toHaveLength(2)
})

test('a script ends when it is ended or replaced', async () => {
  const { sdk, send } = await start()
  const inbox = await sdk.addresses.create()
  const first = await inbox.script([reject(451)])
  expect(await send(inbox.address)).toBe(451)
  const second = await inbox.script([reject(452)])
  expect(await send(inbox.address)).toBe(452)
  await expect(first.state()).rejects.toMatchObject({ status: 404 })
  await second.end()
  expect(await send(inbox.address)).toBe(250)
  expect(await sdk.scenarios.list()).toEqual([])
})

test('a script ends after ten minutes, or after the time that was given, at most a day', async () => {
  let time = Date.now()
  const { sdk, send } = await start(() => time)
  const { team } = await sdk.me()
  const scripts = [
    { to: `qa+default@${team.domain}`, options: {}, seconds: 600 },
    { to: `qa+given@${team.domain}`, options: { expiresIn: 60 }, seconds: 60 },
    { to: `qa+day@${team.domain}`, options: { expiresIn: 86_400 }, seconds: 86_400 },
  ]
  for (const { to, options, seconds } of scripts) {
    const script = await sdk.scenarios.create(to, [reject(451)], options)
    const { createdAt, expiresAt } = await script.state()
    expect(Date.parse(expiresAt) - Date.parse(createdAt)).toBe(seconds * 1_000)
    time += seconds * 1_000 - 1
    expect(await send(to)).toBe(451)
    time += 1
    expect(await send(to)).toBe(250)
    await expect(script.state()).rejects.toMatchObject({ status: 404 })
  }
  const create = (expiresIn: number) => sdk.scenarios.create(`qa@${team.domain}`, [accept()], { expiresIn })
  await expect(create(86_401)).rejects.toMatchObject({ status: 400 })
  for (const expiresIn of [0, 1.5]) await expect(create(expiresIn)).rejects.toThrow(TypeError)
  expect(await sdk.scenarios.list()).toEqual([])
})

test('a script ends with its inbox, also if another one has replaced it', async () => {
  const { sdk, send } = await start()
  const { address } = await useInbox()
  expect(await sdk.scenarios.list()).toEqual([])
  expect(await send(address)).toBe(250)

  async function useInbox() {
    await using inbox = await sdk.addresses.create()
    await inbox.script([reject(451)])
    await inbox.script([reject(452)])
    expect(await send(inbox.address)).toBe(452)
    return inbox
  }
})

test('many mails at once use each step exactly as often as it says', async () => {
  const { sdk, send } = await start()
  const inbox = await sdk.addresses.create()
  await inbox.script([reject(451).times(7), reject(452).times(11), accept()])
  const seen = await Promise.all(Array.from({ length: 30 }, () => send(inbox.address)))
  const count = (code: number) => seen.filter((each) => each === code).length
  expect([count(451), count(452), count(250)]).toEqual([7, 11, 12])
})

test('a limit lets so many mails through', async () => {
  const { sdk, send } = await start()
  const inbox = await sdk.addresses.create()
  await inbox.script([limit(2, '1h')])
  expect([await send(inbox.address), await send(inbox.address), await send(inbox.address)]).toEqual([250, 250, 450])
})

test('a step is used at RCPT, by each recipient, also if the sender then gives up', async () => {
  const { sdk, smtpPort } = await start()
  const [one, two] = [await sdk.addresses.create(), await sdk.addresses.create()]
  const late = await one.script([reject(451, { at: 'data' }), accept()])
  const never = await two.script([reject(452, { at: 'data' }), accept()])
  const both = await OpenMail.begin(smtpPort, one.address)
  await both.say(`RCPT TO:<${two.address}>`)
  expect(await both.say('DATA')).toMatch(/^451/)
  const given = await OpenMail.begin(smtpPort, one.address)
  await given.say('RSET')
  for (const script of [late, never]) expect(await script.state()).toMatchObject({ nextStep: 1 })
  expect([(await late.state()).mails, (await never.state()).mails]).toEqual([2, 1])
  for (const mail of [both, given]) mail.close()
})

test('options that contradict each other, or would have no effect, are refused', async () => {
  const { sdk } = await start()
  const inbox = await sdk.addresses.create()
  const refused: [Step, string][] = [
    [cutDuring('rcpt', { afterBytes: 1_000 }), 'Step 2: only a cut at `data` can come after some bytes'],
    [cutDuring('after-data', { afterBytes: 1_000 }), 'Step 2: only a cut at `data` can come after some bytes'],
    [cutDuring('data', { isStored: true }), 'Step 2: only a cut at `after-data` can store the mail'],
    [reject(451, { enhanced: '5.3.0' }), 'Step 2: the status 5.3.0 contradicts the code 451'],
    [reject(550, { enhanced: '4.3.0' }), 'Step 2: the status 4.3.0 contradicts the code 550'],
  ]
  for (const [step, text] of refused) {
    await expect(inbox.script([accept(), step])).rejects.toMatchObject({
      status: 400,
      code: 'validation_failed',
      message: expect.stringContaining(text),
    })
  }
  expect(await sdk.scenarios.list()).toEqual([])
  await inbox.script([cutDuring('data', { afterBytes: 1_000 }), cutDuring('after-data', { isStored: true })])
})

test('what is not valid is refused', async () => {
  const { sdk } = await start()
  const { team } = await sdk.me()
  const to = `qa@${team.domain}`
  await expect(sdk.scenarios.create(to, [])).rejects.toMatchObject({ status: 400 })
  await expect(sdk.scenarios.create('nonsense', [accept()])).rejects.toMatchObject({ status: 400 })
  await expect(sdk.scenarios.create(to, [reject(250)])).rejects.toMatchObject({ status: 400 })
  await expect(sdk.scenarios.create(to, [reject(550, { text: 'a\r\nQUIT' })])).rejects.toMatchObject({ status: 400 })
  await expect(sdk.scenarios.create(to, [delay('61s')])).rejects.toMatchObject({ status: 422 })
  const many = Array.from({ length: 51 }, () => accept())
  await expect(sdk.scenarios.create(to, many)).rejects.toMatchObject({ status: 422 })
  await expect(sdk.scenarios.create('qa@other.example', [accept()])).rejects.toMatchObject({ status: 404 })
  expect(await sdk.scenarios.list()).toEqual([])
})
