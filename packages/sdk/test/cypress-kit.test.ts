import { afterEach, expect, test, vi } from 'vitest'
import { startServer } from '../../server/test/support/server.ts'
import { accept, reject } from '../src/scenario-steps.ts'
import { mailhatchTasks, type CypressEmail, type CypressInbox, type MailhatchTasks } from '../src/cypress.ts'

afterEach(() => void vi.unstubAllGlobals())

/** Cypress passes only JSON between the browser and a task. */
const asJson = <Value>(value: Value): Value => JSON.parse(JSON.stringify(value)) as Value

/** A fake Cypress: collects commands, and runs `cy.task` with JSON only. */
async function startCypress(tasks: MailhatchTasks) {
  const commands: Record<string, (...given: unknown[]) => Promise<unknown>> = {}
  const timeouts: number[] = []
  vi.stubGlobal('Cypress', { Commands: { add: (name: string, command: never) => (commands[name] = command) } })
  const hooks: (() => void)[] = []
  const running: Promise<unknown>[] = []
  vi.stubGlobal('afterEach', (hook: () => void) => hooks.push(hook))
  vi.stubGlobal('cy', {
    task(name: keyof MailhatchTasks, given: unknown, { timeout }: { timeout: number }) {
      timeouts.push(timeout)
      const task = run(name, given)
      running.push(task)
      return task
    },
  })
  async function run(name: keyof MailhatchTasks, given: unknown) {
    // Each command passes the arguments of its own task.
    const answer = await tasks[name](asJson(given) as never)
    if (answer === undefined) throw new Error('A task must return a value or null.')
    return asJson(answer)
  }
  // Import again, because the module checks for Cypress when it loads.
  vi.resetModules()
  await import('../src/cypress.ts')
  return {
    timeouts,
    inbox: (...given: unknown[]) => commands['inbox']!(...given) as Promise<CypressInbox>,
    waitForEmail: (...given: unknown[]) => commands['waitForEmail']!(...given) as Promise<CypressEmail>,
    expectNoEmail: (...given: unknown[]) => commands['expectNoEmail']!(...given),
    scriptInbox: (...given: unknown[]) => commands['scriptInbox']!(...given),
    /** Cypress waits for the commands of a hook. */
    async endTest() {
      for (const hook of hooks) hook()
      await Promise.all(running)
    },
  }
}

async function start() {
  const { url, apiKey, sendMail, sdk } = await startServer()
  return { sendMail, sdk, cy: await startCypress(mailhatchTasks({ url, apiKey })) }
}

test('the commands return an address, its mail, code and link', async () => {
  const { sendMail, cy } = await start()
  const inbox = await cy.inbox({ prefix: 'sign up', aliases: ['Bob'] })
  expect(inbox.address).toMatch(/^e2e\+sign-up-[a-z0-9]{10}@/)
  expect(inbox.aliases).toEqual({ Bob: inbox.address.replace('@', '.bob@') })
  await sendMail({ to: inbox.address, subject: 'Newsletter', text: 'Hello' })
  await sendMail({
    to: inbox.address,
    subject: 'Verify',
    html: 'Code: 482913 <a href="https://a.example/verify">Go</a>',
  })
  await sendMail({ to: inbox.aliases['Bob']!, subject: 'You are invited' })
  const mail = await cy.waitForEmail(inbox, { subject: /^VERIFY$/i })
  expect(mail).toMatchObject({ subject: 'Verify', code: '482913', link: 'https://a.example/verify' })
  expect(mail.html).toContain('<a href')
  expect(await cy.waitForEmail(inbox.address)).toMatchObject({
    subject: 'Newsletter',
    text: 'Hello\n',
    code: '',
    link: '',
  })
  expect(await cy.waitForEmail(inbox, { to: inbox.aliases['Bob'] })).toMatchObject({ subject: 'You are invited' })
})

test('each message is returned once, and an unexpected message is an error', async () => {
  const { sendMail, cy } = await start()
  const inbox = await cy.inbox()
  expect(await cy.expectNoEmail(inbox, { within: 50 })).toBe(null)
  await sendMail({ to: inbox.address, subject: 'Verify' })
  await cy.waitForEmail(inbox)
  expect(await cy.expectNoEmail(inbox, { subject: 'Verify', within: 50 })).toBe(null)
  await sendMail({ to: inbox.address, subject: 'Verify again' })
  await expect(cy.expectNoEmail(inbox, { subject: 'Verify' })).rejects.toThrow("'Verify again' from")
})

test('a wait reports what arrived instead, before Cypress ends the task', async () => {
  const { sendMail, sdk, cy } = await start()
  const inbox = await cy.inbox()
  await sendMail({ to: inbox.address, subject: 'Verify' })
  await sdk.messages.waitFor({ to: inbox.address })
  await expect(cy.waitForEmail(inbox, { subject: 'Receipt' }, { timeout: 200 })).rejects.toThrow(
    /within 200 ms\. What did arrive:\n.*Verify \(not matching: subject\)/,
  )
  expect(cy.timeouts.at(-1)).toBe(5_200)
})

test('misuse has a clear error', async () => {
  const { cy } = await start()
  await expect(cy.waitForEmail('stranger@mailhatch.test')).rejects.toThrow('was not created by cy.inbox()')
  const inbox = await cy.inbox()
  expect(() => cy.waitForEmail(inbox, { where: () => true })).toThrow('cannot leave the browser')
})

test('a script for an inbox ends with the test', async () => {
  const { sendMail, sdk, cy } = await start()
  const inbox = await cy.inbox()
  const steps = [reject(451).times(2), accept()]
  expect(await cy.scriptInbox(inbox, steps, { expiresIn: 60 })).toBe(null)
  expect(await sdk.scenarios.list()).toMatchObject([{ to: inbox.address, steps: steps.map((one) => one.definition) }])
  await expect(sendMail({ to: inbox.address })).rejects.toMatchObject({ responseCode: 451 })
  await cy.endTest()
  expect(await sdk.scenarios.list()).toEqual([])
  await sendMail({ to: inbox.address, subject: 'Welcome' })
  expect(await cy.waitForEmail(inbox)).toMatchObject({ subject: 'Welcome' })
  const tasks = cy.timeouts.length
  await cy.endTest()
  expect(cy.timeouts).toHaveLength(tasks)
})

test('without Cypress, as in its configuration, only the tasks exist', () => {
  expect(Object.keys(mailhatchTasks())).toEqual([
    'mailhatch:inbox',
    'mailhatch:waitForEmail',
    'mailhatch:expectNoEmail',
    'mailhatch:scriptInbox',
    'mailhatch:endScripts',
  ])
})
