import { accept, Mailhatch, reject } from '@mailhatch/sdk'
import { createTransport } from 'nodemailer'
import { expect, test } from 'vitest'
import { STEP_EXAMPLES } from '../../src/domain/step-text.ts'
import { reuseWindows } from '../support/dashboard-session.ts'
import { barriersIn, buildDashboard, openChromium } from '../support/dashboard.ts'
import { startFileServer } from '../support/file-server.ts'
import { openPeople } from '../support/people.ts'

await buildDashboard()
const server = await startFileServer()
const people = await openPeople(server)
const browser = await openChromium()
const open = reuseWindows(browser, server.url)
const { headers } = await people.operator()
const sdk = new Mailhatch(server)

/** The code of a refusal; 250 if the mail was accepted. */
function send(to: string): Promise<number | undefined> {
  const transport = createTransport({ host: '127.0.0.1', port: server.smtpPort })
  return transport.sendMail({ from: 'app@shop.test', to, text: 'Hello' }).then(
    () => 250,
    ({ responseCode }: { responseCode?: number }) => responseCode,
  )
}

test('a scenario is added, its counts are live, and it is removed', async () => {
  const { page, complaints } = await open({ headers, reducedMotion: 'reduce' })
  await page.goto('/settings/scenarios')
  await page.getByRole('button', { name: 'Add scenario' }).first().click()
  const dialog = page.getByRole('dialog', { name: 'Add scenario' })
  expect(await dialog.innerText()).toContain(Object.values(STEP_EXAMPLES).join(', '))
  await dialog.getByLabel('Address').fill('qa+page@mailhatch.test')
  await dialog.getByLabel('Steps').fill('reject:451x2\nreject:55O')
  await dialog.getByRole('button', { name: 'Add scenario' }).click()
  await dialog.getByText("Step 2, 'reject:55O', character 8: expected a reply code from 400 to 599.").waitFor()
  expect(await sdk.scenarios.list()).toEqual([])
  await dialog.getByLabel('Steps').fill('reject:451x2\n\n  reject:550,text=<b>No such user</b>\naccept\n')
  await dialog.getByLabel('Ends after').selectOption('1 hour')
  await dialog.getByRole('button', { name: 'Add scenario' }).click()
  await dialog.waitFor({ state: 'detached' })

  const steps = page.getByRole('list', { name: 'Steps for qa+page@mailhatch.test' }).getByRole('listitem')
  await steps.first().getByText('next').waitFor()
  expect(await steps.allInnerTexts()).toEqual([
    expect.stringMatching(/^reject:451x2\s+0 mails\s+next$/),
    expect.stringMatching(/^reject:550,text=<b>No such user<\/b>\s+0 mails$/),
    expect.stringMatching(/^accept\s+0 mails$/),
  ])
  expect([await send('qa+page@mailhatch.test'), await send('qa+page@mailhatch.test')]).toEqual([451, 451])
  await steps.nth(1).getByText('next').waitFor()
  expect(await steps.first().innerText()).toMatch(/^reject:451x2\s+2 mails$/)

  await page.getByRole('button', { name: 'Remove the scenario of qa+page@mailhatch.test' }).click()
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
  await page.getByText('No scenarios', { exact: true }).waitFor()
  expect(await send('qa+page@mailhatch.test')).toBe(250)
  expect(complaints).toEqual([])
})

test.each(['light', 'dark'] as const)(
  'no accessibility violations with scenarios and in the form, %s',
  async (scheme) => {
    const inbox = await sdk.addresses.create()
    const script = await inbox.script([reject(451).times(2), accept()], { match: 'prefix' })
    const { page, complaints } = await open({ headers, colorScheme: scheme, reducedMotion: 'reduce' })
    await page.goto('/settings/scenarios')
    await page.getByText('and tags that begin like it').waitFor()
    expect(await barriersIn(page)).toEqual([])
    await page.getByRole('button', { name: 'Add scenario' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await barriersIn(page)).toEqual([])
    await script.end()
    expect(complaints).toEqual([])
  },
)

test('a member sees scenarios, and can neither add nor remove one', async () => {
  const { owner, join } = await people.newTeam()
  const member = await people.person()
  await join(member)
  const { address } = await owner.call.inbox.mailboxes.create.mutate({ name: 'watched' })
  await owner.call.scenarios.create.mutate({ to: address, steps: 'accept' })
  const { page } = await open({ headers: member.headers })
  await page.goto('/settings/scenarios')
  await page.getByRole('list', { name: `Steps for ${address}` }).waitFor()
  expect(await page.getByRole('button', { name: /scenario/i }).count()).toBe(0)
})
